"""The leaderboard: the best complete result of each model on each board, with its history."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchrouter.scores.boards import Board, Standing, boards
from benchrouter.scores.scope import EVERYTHING, Scope
from benchrouter.scores.table import cells, one_line, padded, score
from benchrouter.store.atomic import make_dirs, write_atomic

VERSION = 1


def write_leaderboard(results: Path, scope: Scope = EVERYTHING, path: Path | None = None) -> list[Board]:
    """Write `leaderboard.json` into a results directory, or elsewhere; return what it says. Raise OSError."""
    found = boards(results, scope)
    if path is None:
        path = results / "leaderboard.json"
        make_dirs(results, durable=False)
    data = json.dumps(leaderboard_json(results, found), indent=2, allow_nan=False).encode("ascii") + b"\n"
    write_atomic(path, data, durable=False)
    return found


def leaderboard_json(results: Path, found: Sequence[Board]) -> dict[str, Any]:
    """Give the form of `leaderboard.json`; paths are relative to the results directory."""
    return {
        "version": VERSION,
        "kind": "leaderboard",
        "boards": [
            {
                "benchmark": board.benchmark,
                "tasks": sorted({task for task, _ in board.asked.jobs}),
                "repeats": max((repeat for _, repeat in board.asked.jobs), default=0) + 1,
                "variables": dict(board.asked.variables) if board.asked.variables is not None else None,
                "seed": board.asked.seed,
                "aggregate": board.asked.rule,
                "superseded": list(board.superseded),
                "entries": [_entry(results, board, rank, best) for rank, best in ranked(board)],
                "incomplete": [_result(results, one) for one in _incomplete(board)],
            }
            for board in found
        ],
    }


def ranked(board: Board) -> list[tuple[int, Standing]]:
    """Rank the best complete result of each model from 1; equal scores share a rank."""
    best = [_best(board, model) for model in dict.fromkeys(one.model for one in board.standings)]
    there = [one for one in best if one is not None]
    scores = [one.overall or 0.0 for one in there]
    places = [(1 + sum(other > mine for other in scores), one) for mine, one in zip(scores, there, strict=True)]
    return sorted(places, key=lambda place: (place[0], place[1].model))


def lines(found: Sequence[Board]) -> Iterator[str]:
    """Write the leaderboard as lines of text; boards of earlier content are left to the file."""
    shown = [board for board in found if not board.superseded]
    for board in shown:
        yield "  ".join([board.benchmark, *map(one_line, board.words)])
        places = ranked(board)
        width = max((cells(one_line(one.model, 60)) for _, one in places), default=0)
        for rank, one in places:
            earlier = len(board.of(one.model)) - 1
            more = f"  {earlier} more result{'s' * (earlier != 1)}" if earlier else ""
            name = one_line(one.model, 60)
            yield f"  {rank:3}  {padded(name, width)}  {score(one.overall)}  {_limits(one)}  {_day(one.when)}{more}"
        for one in _incomplete(board):
            yield f"    -  {one_line(one.model, 60)}: nothing complete yet, {one.coverage} jobs have a score"
    if not shown:
        yield "no results yet"
    if left_out := len(found) - len(shown):
        yield f"{left_out} board{'s' * (left_out != 1)} of earlier content left out; leaderboard.json has all"


def _best(board: Board, model: str) -> Standing | None:
    complete = [one for one in board.of(model) if one.complete]
    return max(complete, key=lambda one: (one.overall or 0.0, one.when), default=None)


def _incomplete(board: Board) -> list[Standing]:
    """Give the newest result of each model that has none that is complete."""
    models = sorted({one.model for one in board.standings})
    return [board.of(model)[0] for model in models if _best(board, model) is None]


def _entry(results: Path, board: Board, rank: int, best: Standing) -> dict[str, Any]:
    history = [_result(results, one) for one in board.of(best.model)[::-1]]
    return {"rank": rank, **_result(results, best), "history": history}


def _result(results: Path, one: Standing) -> dict[str, Any]:
    return {
        "model": one.model,
        "overall": one.overall,
        "interval": one.interval.to_json() if one.interval else None,
        "state": one.state.value,
        "coverage": {"completed": one.coverage.completed, "declared": one.coverage.declared},
        "when": round(one.when, 3),
        "path": one.path.relative_to(results).as_posix(),
    }


def _limits(one: Standing) -> str:
    return f"[{score(one.interval.low)}, {score(one.interval.high)}]" if one.interval else " " * 16


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))
