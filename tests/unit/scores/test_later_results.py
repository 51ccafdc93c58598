"""Results of a part that came after those of the whole: what a gate and a comparison of either show."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from gates import told
from shelf import Shelf

from benchrouter.scores.comparison.compared import Comparison, compare_models
from benchrouter.scores.gate.judge import judge
from benchrouter.scores.gate.policy import load_policy
from benchrouter.store.states import Reason


@pytest.fixture
def edited(shelf: Shelf) -> Shelf:
    """Tasks x and y at 0.9; then x was edited and run alone: 0.1."""
    for task in ("x", "y"):
        shelf.add("m", task, overall=0.9)
    shelf.settle(name="1")
    shelf.add("m", "x", overall=0.1, files={"run.py": "edited"})
    shelf.settle(name="2", headline=False, declared=2)
    return aged(shelf, "aggregate.json", "aggregates/1.json", "aggregates/2.json")


def aged(shelf: Shelf, *names: str) -> Shelf:
    """Let files have been written in this order, headlines at the time of their twin."""
    for age, name in enumerate(names):
        os.utime(shelf.root / "b" / "m" / name, (100 + 100 * max(1, age),) * 2)
    return shelf


def one_task(shelf: Shelf, *tasks: str) -> Comparison:
    return compare_models(shelf.root, "b", tasks=tasks)


def test_a_gate_of_one_task_showed_its_score_before_the_edit(edited: Shelf, policy: Path, tmp_path: Path) -> None:
    """The headline was taken first and cut to the task afterwards, so 0.9 passed; so it did in `compare`."""
    gate = "benchmark: b, tasks: [x], minimum: 0.5"
    assert told(edited, policy, gate) == ["FAIL  b/x @ m: 0.1000 is below the minimum 0.5"]
    assert one_task(edited, "x").contenders[0].scored.overall == 0.1 and not one_task(edited, "x").warnings
    assert told(edited, policy, gate.replace("x", "y")) == ["pass  b/y @ m: 0.9000, coverage 1/1"]
    shutil.copy(edited.root / "b" / "m" / "aggregate.json", tmp_path / "before.json")
    drop = "benchmark: b, tasks: [x], baseline: before.json, maximum_drop: 0.1, other_content: true"
    (line,) = told(edited, policy, drop)
    assert line.startswith("FAIL  b/x @ m: 0.1000 is 0.8000 below the 0.9000 of baseline before.json")


def test_a_gate_of_one_task_passed_by_its_score_before_it_failed(edited: Shelf, policy: Path) -> None:
    edited.add("m", "x", reason=Reason.EXIT_CODE, files={"run.py": "exit 3"})
    edited.settle(name="3", headline=False, declared=2)
    aged(edited, "aggregate.json", "aggregates/1.json", "aggregates/2.json", "aggregates/3.json")
    assert told(edited, policy, "benchmark: b, tasks: [x], minimum: 0.05") == [
        "FAIL  b/x @ m: coverage 0/1 is below 100%",
        "FAIL  b/x @ m: there is no score",
    ]
    assert one_task(edited, "x").contenders[0].scored.overall is None


def test_a_gate_of_all_said_nothing_of_later_results_of_a_part(edited: Shelf, policy: Path) -> None:
    """A run of one task does not hide that of all; but then a pipeline that runs a part judges what was before."""
    assert told(edited, policy, "benchmark: b, minimum: 0.5") == ["pass  b @ m: 0.9000, coverage 2/2"]
    (judged,) = judge(load_policy(policy), policy, edited.root)
    said = "b @ m: a later run has other results of x; the score shown is of an earlier run of more tasks"
    assert judged.warnings == (said,)
    assert compare_models(edited.root, "b").warnings == (said,)
    (both,) = one_task(edited, "x", "y").contenders
    assert both.scored.overall == 0.9 and one_task(edited, "x", "y").warnings == (said,)


def test_another_ask_of_a_part_is_no_later_result_of_all(edited: Shelf) -> None:
    """Another seed that was typed, other variables, more repeats: none of them says that the score is out of date."""
    for number, inputs in enumerate(({"seed": 7}, {"variables": {"BENCH_LIMIT": "1"}}, {"repeat": 1})):
        edited.add("m", "y", overall=0.2, **inputs)
        if "repeat" in inputs:
            edited.add("m", "y", overall=0.9)
        edited.settle(name=f"{number + 3}", headline=False, declared=2)
    (warning,) = compare_models(edited.root, "b").warnings
    assert "other results of x;" in warning


def test_a_change_that_was_taken_back_is_no_later_result(edited: Shelf) -> None:
    """The run of the edit is later than that of all, and that of the old content later still."""
    edited.add("m", "x", overall=0.9)
    edited.settle(name="3", headline=False, declared=2)
    aged(edited, "aggregate.json", "aggregates/1.json", "aggregates/2.json", "aggregates/3.json")
    assert compare_models(edited.root, "b").warnings == ()
    assert one_task(edited, "x").contenders[0].scored.overall == 0.9
