"""Boards: all results on disk, put together where they may be compared, with their history. Reads, writes nothing.

Nothing but `results/` is asked, so a lost index loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchrouter.scores.aggregate import Aggregate, Coverage
from benchrouter.scores.asked import Asked, asked_of
from benchrouter.scores.collected import JobResult, Listed, jobs_of
from benchrouter.scores.comparison.comparable import differences, other_inputs
from benchrouter.scores.comparison.contender import Contender
from benchrouter.scores.current import Newest
from benchrouter.scores.dates import newest_first
from benchrouter.scores.limits import limits_of
from benchrouter.scores.scope import EVERYTHING, Scope
from benchrouter.scores.statistics.intervals import Interval
from benchrouter.store.jobid import JobId
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

    `superseded` says what is other in a newer board that was asked for in the same words, or of the same tasks where
    none of these is of today's content any more; nothing for the newest.
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


@dataclass(frozen=True)
class Placed:
    """A result on its board, with the jobs that are looked at; of the `current` ones no newer has other content."""

    listed: Listed
    board: Board
    standing: Standing
    jobs: tuple[JobResult, ...]
    current: tuple[JobResult, ...]


class Boards:
    """Finds the board of each result."""

    def __init__(self) -> None:
        self.boards: list[Board] = []
        self._newest = Newest()

    def read(self, results: Path, scope: Scope = EVERYTHING) -> Iterator[Placed]:
        """Read the results of every model in a scope, the newest first, each onto its board.

        Of the tasks that were named, a result that holds the same jobs as a newer one says nothing new.
        """
        seen: set[frozenset[tuple[JobId, str]]] = set()
        for when, listed in newest_first(results, scope.benchmarks):
            jobs = scope.jobs(jobs_of(results, listed))
            if scope.some_tasks(listed.benchmark):
                held = frozenset((job.id, job.key) for job in jobs)
                if not jobs or held in seen:
                    continue
                seen.add(held)
            declared = len(jobs) if scope.some_tasks(listed.benchmark) else listed.declared
            board, standing = self._add(listed, when, jobs, declared)
            yield Placed(listed, board, standing, jobs, self._newest.current(jobs))

    def _add(self, listed: Listed, when: float, jobs: Sequence[JobResult], declared: int) -> tuple[Board, Standing]:
        asked = asked_of(listed, jobs)
        variables = dict(asked.variables) if asked.variables is not None else None
        whole = Contender(listed.model, tuple(jobs), variables, listed.rule, declared)
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
        if not newer and self._newest.outdated(whole.jobs):  # other repeats or tasks, but nothing of it is of today
            why = next((tuple(texts) for board in others if (texts := other_inputs(board.sample, light))), ())
            why = why or ("other content",)
        board = Board(listed.benchmark, asked, light, superseded=why)
        self.boards.append(board)
        return board


def boards(results: Path, scope: Scope = EVERYTHING) -> list[Board]:
    """Read all boards, or what a scope leaves of them."""
    found = Boards()
    for _ in found.read(results, scope):
        pass
    for board in found.boards:
        board.standings = [one for one in board.standings if scope.model(one.model)]
    return [board for board in found.ordered() if board.standings]
