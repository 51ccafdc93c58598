"""The real one's way to a score: a match of the last line, else a judge; what failed scores 0."""

import re

from language_models import get_llm_response

JUDGE = "[原问题]: {question}\n[正确答案]: {correct}\n[回答]:{response}\n最终答案: 解释: 结论: 正确 / 错误"


def after_colon(match):
    if match is None:
        return None
    try:
        return match.group(0).split(":")[1].strip()
    except IndexError:
        return match.group(0)


def grade_question(question, correct, response):
    if response is None:
        return 0, "", ""
    last = after_colon(re.search(r"最终答案:*(.*)", response))
    if last == correct:
        return 1, last, "无需调用LLM Judge"
    prompt = JUDGE.format(question=question, correct=correct, response=response)
    said = get_llm_response(prompt, "gemini-2.0", judge=True)
    if said is None:
        return 0, "", "Judge Response error"
    verdict = after_colon(re.search(r"结论:*.(正确|错误)", said))
    return int(verdict == "正确"), after_colon(re.search(r"最终答案:*(.*)", said)), ""


def eval_and_grade_question(question, model, n_repeats=5):
    text, kind, correct = question["prompt"], question["type"], question["answer"]
    result, scores = [question["id"], text, kind, correct], []
    for _ in range(n_repeats):
        response = get_llm_response(f"最终答案:[你的答案]\n[问题]: {text}", model=model)
        score, extracted, reason = grade_question(text, correct, response["response"])
        flags = ["Y" if response[name] else "" for name in ("length_cutoff", "safety_cutoff", "api_error")]
        result += [response["response"], extracted, str(score), reason, *flags]
        scores.append(score)
    return [*result, str(sum(scores) / len(scores)), str(max(scores)), "", "0", "0", "0"]
