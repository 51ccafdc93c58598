"""Boards: all results on disk, put together where they may be compared, with their history. Reads, writes nothing.

Nothing but `results/` is asked, so a lost index loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchrouter.scores.aggregate import Aggregate, Coverage
from benchrouter.scores.asked import Asked, asked_of
from benchrouter.scores.collected import JobResult, Listed, jobs_of
from benchrouter.scores.comparison.comparable import differences
from benchrouter.scores.comparison.contender import Contender
from benchrouter.scores.dates import newest_first
from benchrouter.scores.limits import limits_of
from benchrouter.scores.statistics.intervals import Interval
from benchrouter.store.states import RunState


@dataclass(frozen=True)
class Standing:
    """One result of a model on a board; `when` it was had, in seconds since the epoch; `path` is its aggregate.

    `interval` is the confidence interval of the overall score.
    """

    model: str
    when: float
    scored: Aggregate
    path: Path
    interval: Interval | None = None

    @property
    def overall(self) -> float | None:
        """Give the score under the declared rule, from what is on disk now."""
        return self.scored.overall

    @property
    def state(self) -> RunState:
        """Sum up its jobs."""
        return self.scored.state

    @property
    def coverage(self) -> Coverage:
        """Count the jobs that have a score."""
        return self.scored.coverage

    @property
    def complete(self) -> bool:
        """Tell whether all that the benchmark declares has a score."""
        return self.overall is not None and self.coverage.completed >= self.coverage.declared


@dataclass
class Board:
    """Results of one benchmark that may be compared, the newest first.

    `superseded` says what is other in a newer board that was asked for in the same words; nothing for the newest.
    """

    benchmark: str
    asked: Asked
    sample: Contender
    standings: list[Standing] = field(default_factory=list)
    superseded: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """Say what was asked for, and why it does not stand with what was asked for in the same words."""
        if not self.superseded:
            return self.asked.words
        first, *others = self.superseded
        return (*self.asked.words, f"earlier: {first}" + (f" and {len(others)} more" if others else ""))

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
        variables = dict(asked.variables) if asked.variables is not None else None
        whole = Contender(listed.model, tuple(jobs), variables, listed.rule, listed.declared)
        mine = [board for board in self.boards if board.benchmark == listed.benchmark]
        board = next((board for board in mine if board.asked.matches(asked)), None)
        if board is None:
            board = self._new(listed, asked, whole, mine)
        board.asked = board.asked.merged(asked)
        standing = Standing(listed.model, when, whole.scored, listed.path, limits_of(whole))
        board.standings.append(standing)
        return board, standing

    def ordered(self) -> list[Board]:
        """Give the boards of each benchmark together, those of the whole benchmark first."""
        return sorted(self.boards, key=lambda board: (board.benchmark, bool(board.superseded), board.asked.rank))

    def _new(self, listed: Listed, asked: Asked, whole: Contender, others: Sequence[Board]) -> Board:
        light = replace(whole, jobs=tuple(replace(job, items=()) for job in whole.jobs))  # items are most of the memory
        newer = next((board for board in others if board.asked.looks_like(asked)), None)
        why = tuple(differences(newer.sample, light)) or ("other content",) if newer else ()
        board = Board(listed.benchmark, asked, light, superseded=why)
        self.boards.append(board)
        return board


def boards(results: Path, benchmark: str | None = None) -> list[Board]:
    """Read all boards, or those of one benchmark."""
    found = Boards()
    for when, listed in newest_first(results, benchmark):
        found.add(listed, when, jobs_of(results, listed))
    return found.ordered()
