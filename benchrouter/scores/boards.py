"""Boards: all results on disk, put together where they may be compared, with their history. Reads, writes nothing.

Nothing but `results/` is asked, so a lost index loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchrouter.scores.aggregate import Coverage
from benchrouter.scores.asked import Asked, asked_of, rule_of
from benchrouter.scores.collected import JobResult, Listed, aggregates, jobs_of
from benchrouter.scores.statistics.intervals import Interval
from benchrouter.scores.strata import interval_of
from benchrouter.spec.names import encode
from benchrouter.store import documents, layout
from benchrouter.store.artifact import score_of
from benchrouter.store.states import JobState, RunState


@dataclass(frozen=True)
class Standing:
    """One result of a model on a board; `when` it was had, in seconds since the epoch; `path` is its aggregate.

    `interval` is the confidence interval of `overall`.
    """

    model: str
    when: float
    state: RunState
    overall: float | None
    coverage: Coverage
    path: Path
    interval: Interval | None = None

    @property
    def complete(self) -> bool:
        """Tell whether all that the benchmark declares has a score."""
        return self.overall is not None and self.coverage.completed >= self.coverage.declared


@dataclass
class Board:
    """Results of one benchmark that may be compared, the newest first; `superseded` where its content changed since."""

    benchmark: str
    asked: Asked
    standings: list[Standing] = field(default_factory=list)
    superseded: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """Say what was asked for."""
        return (*self.asked.words, "earlier content") if self.superseded else self.asked.words

    def of(self, model: str) -> list[Standing]:
        """Give the history of a model, the newest first."""
        return [one for one in self.standings if one.model == model]


class Boards:
    """Finds the board of each result; results have to come newest first."""

    def __init__(self) -> None:
        self.boards: list[Board] = []

    def add(self, listed: Listed, when: float, jobs: Sequence[JobResult]) -> tuple[Board, Standing]:
        """Put a result on its board."""
        asked = asked_of(listed, jobs)
        mine = [board for board in self.boards if board.benchmark == listed.benchmark]
        board = next((board for board in mine if board.asked.matches(asked)), None)
        if board is None:
            board = Board(listed.benchmark, asked, superseded=any(one.asked.looks_like(asked) for one in mine))
            self.boards.append(board)
        board.asked = board.asked.merged(asked)
        standing = _standing(listed, when, jobs)
        board.standings.append(standing)
        return board, standing

    def ordered(self) -> list[Board]:
        """Give the boards of each benchmark together, those of the whole benchmark first."""
        return sorted(self.boards, key=lambda board: (board.benchmark, board.superseded, board.asked.rank))


def newest_first(results: Path, benchmark: str | None = None) -> list[tuple[float, Listed]]:
    """List the aggregates on disk with the time at which the last of their jobs ended."""
    dated = [(when_of(results, listed), listed) for listed in aggregates(results, benchmark)]
    return sorted(dated, key=lambda pair: (-pair[0], pair[1].benchmark, pair[1].model, pair[1].path.name))


def boards(results: Path, benchmark: str | None = None) -> list[Board]:
    """Read all boards, or those of one benchmark."""
    found = Boards()
    for when, listed in newest_first(results, benchmark):
        found.add(listed, when, jobs_of(results, listed))
    return found.ordered()


def _standing(listed: Listed, when: float, jobs: Sequence[JobResult]) -> Standing:
    completed = sum(job.state is JobState.COMPLETED for job in jobs)
    overall = score_of(listed.document.get("overall"))
    return Standing(
        listed.model,
        when,
        RunState.of(job.state for job in jobs),
        overall,
        Coverage(completed, max(listed.declared, len(jobs))),
        listed.path,
        interval_of(jobs, rule_of(listed), overall),
    )


def when_of(results: Path, listed: Listed) -> float:
    """Ask the jobs' provenance, which a copy keeps; a file's own time is the last resort."""
    ended = max(_ended(results, listed), default=0.0)
    return ended or listed.written / 1e9


def _ended(results: Path, listed: Listed) -> Iterator[float]:
    model = results / listed.benchmark / encode(listed.model)
    for job in listed.document["jobs"]:
        facts = documents.read(model / job["task"] / job["key"] / layout.PROVENANCE) or {}
        container = facts.get("container")
        ended = container.get("finished_at") if isinstance(container, dict) else None
        if isinstance(ended, int | float) and not isinstance(ended, bool):
            yield float(ended)
