"""Boards and ranks: the best complete result, and never what cannot be compared."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from shelf import Shelf

from benchrouter.scores.boards import boards
from benchrouter.scores.leaderboard import lines, ranked, write_leaderboard
from benchrouter.store.states import Reason


def dated(directory: Path, ended: float) -> None:
    """Say in its provenance when a job ended."""
    path = directory / "provenance.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "container": {"finished_at": ended}}))


def places(shelf: Shelf) -> list[list[tuple[int, str, float | None]]]:
    """Give rank, model and score on each board."""
    return [[(rank, one.model, one.overall) for rank, one in ranked(board)] for board in boards(shelf.root)]


def test_equal_scores_share_a_rank(shelf: Shelf) -> None:
    for model, items in (("c", [1, 0]), ("a", [1, 0]), ("b", [1, 1]), ("d", [0, 0])):
        shelf.add(model, "x", items)
    shelf.settle()
    assert places(shelf) == [[(1, "b", 1.0), (2, "a", 0.5), (2, "c", 0.5), (4, "d", 0.0)]]


def test_what_is_not_complete_is_not_ranked_however_good(shelf: Shelf) -> None:
    """Neither a part of the tasks, nor a run of which a job failed; both are named."""
    shelf.add("whole", "x", [1, 0])
    shelf.add("whole", "y", [1, 0])
    shelf.add("failed", "x", [1, 1])
    shelf.add("failed", "y", reason=Reason.ENDPOINT)
    shelf.settle()
    shelf.add("part", "x", [1, 1])
    shelf.settle(declared=2)
    assert places(shelf) == [[(1, "whole", 0.5)], []]
    assert "    -  failed: nothing complete yet, 1/2 jobs have a score" in list(lines(boards(shelf.root)))


@pytest.mark.parametrize(
    "other",
    [{"variables": {"BENCH_LIMIT": "2"}}, {"files": {"run.py": "bb"}}, {"image": {"key": "2"}}, {"seed": 3}],
    ids=lambda other: next(iter(other)),
)
def test_other_work_is_another_board(shelf: Shelf, other: dict[str, Any]) -> None:
    shelf.add("a", "x", [1, 0])
    shelf.add("b", "x", [1, 1], **other)
    shelf.settle()
    assert sorted(map(len, places(shelf))) == [1, 1]


def test_another_rule_of_aggregation_is_another_board(shelf: Shelf) -> None:
    from benchrouter.spec.aggregation import Aggregation

    shelf.add("a", "x", [1, 0])
    shelf.settle()
    shelf.add("b", "x", [1, 1])
    shelf.settle(rule=Aggregation("min"))
    assert sorted(board.words for board in boards(shelf.root)) == [(), ("aggregate min",)]


def test_the_best_of_a_model_stands_first_and_its_history_beside(shelf: Shelf) -> None:
    for revision, score, ended in (("1", 0.5, 100.0), ("2", 1.0, 200.0), ("3", 0.0, 300.0)):
        dated(shelf.add("m", "x", [score], revision=revision), ended)
        shelf.settle(name=revision)
    (board,) = write_leaderboard(shelf.root)
    written = json.loads((shelf.root / "leaderboard.json").read_text())
    (entry,) = written["boards"][0]["entries"]
    assert (entry["overall"], entry["when"], entry["path"]) == (1.0, 200.0, "b/m/aggregates/2.json")
    assert [(one["when"], one["overall"]) for one in entry["history"]] == [(100.0, 0.5), (200.0, 1.0), (300.0, 0.0)]
    assert list(lines([board])) == ["b", f"    1  m  1.0000  {'':16}  1970-01-01  2 more results"]


def test_content_that_changed_since_is_superseded_and_only_in_the_file(shelf: Shelf) -> None:
    dated(shelf.add("m", "x", [1]), 100.0)
    shelf.settle(name="1")
    dated(shelf.add("m", "x", [0], files={"run.py": "new"}), 200.0)
    shelf.settle(name="2")
    found = boards(shelf.root)
    assert [board.superseded for board in found] == [(), ("file run.py differs",)]
    assert list(lines(found)) == [
        "b",
        f"    1  m  0.0000  {'':16}  1970-01-01",
        "1 board of earlier content left out; leaderboard.json has all",
    ]


def test_a_copy_without_any_index_says_the_same(shelf: Shelf, tmp_path: Path) -> None:
    """Times of files are lost, too."""
    dated(shelf.add("m", "x", [1, 0]), 100.0)
    shelf.settle()
    copy = tmp_path / "copy"
    shutil.copytree(shelf.root, copy)
    for path in copy.rglob("*"):
        os.utime(path, (5, 5))
    write_leaderboard(shelf.root)
    (copy / "leaderboard.json").write_text("{torn")
    write_leaderboard(copy)
    assert (copy / "leaderboard.json").read_bytes() == (shelf.root / "leaderboard.json").read_bytes()


def test_results_whose_artifacts_are_gone_stand_alone(shelf: Shelf) -> None:
    """Nobody knows how they were asked for."""
    for model in ("a", "b"):
        shutil.rmtree(shelf.add(model, "x", [1]))
    shelf.settle()
    assert [(len(board.standings), board.words) for board in boards(shelf.root)] == [
        (1, ("no longer known how it was asked for",))
    ] * 2


def test_without_results(tmp_path: Path) -> None:
    assert write_leaderboard(tmp_path / "results") == [] and list(lines([])) == ["no results yet"]
