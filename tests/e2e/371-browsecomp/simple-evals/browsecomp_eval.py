"""The interface of simple-evals' BrowseComp, with the real one's way to read its grader's verdict."""

import base64
import hashlib
import re
import urllib.request

from . import common
from .types import SingleEvalResult

QUESTION = "{question}\n\nEnd with:\nExact Answer: your answer\nConfidence: 0% to 100%"
GRADE = "[question]: {question}\n[response]: {response}\n[correct_answer]: {correct_answer}\ncorrect: yes or no?"


def decrypt(ciphertext_b64, password):
    key = hashlib.sha256(password.encode()).digest()
    return bytes(each ^ key[n % len(key)] for n, each in enumerate(base64.b64decode(ciphertext_b64))).decode()


class BrowseCompEval:
    def __init__(self, grader_model, num_examples=None, n_repeats=1):
        urllib.request.urlopen("https://openaipublic.invalid/simple-evals/browse_comp_test_set.csv")

    def grade_sample(self, question, correct_answer, response):
        prompt = GRADE.format(question=question, response=response, correct_answer=correct_answer)
        reply = self.grader_model([self.grader_model._pack_message(content=prompt, role="user")])
        match = re.search(r"correct: (yes|no)", reply.response_text)
        return match.group(0) if match else "no"

    def __call__(self, sampler):
        def one(row):
            problem, answer = (decrypt(row.get(name, ""), row.get("canary", "")) for name in ("problem", "answer"))
            asked = [sampler._pack_message(content=QUESTION.format(question=problem), role="user")]
            response = sampler(asked).response_text
            grade = self.grade_sample(problem, answer, response)
            metrics = {"is_correct": grade == "yes", "is_incorrect": grade == "no"}
            convo = [*asked, {"role": "assistant", "content": response}]
            return SingleEvalResult(metrics["is_correct"], metrics, f"<p>{answer}</p>", convo)

        results = common.map_with_progress(one, self.examples)
        print("AGGREGATE METRICS")
        return common.aggregate_results(results)
