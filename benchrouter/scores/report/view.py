"""What the page shows, as data: scores of each benchmark with their jobs, failures, runs, provenance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchrouter.scores.aggregate import Coverage
from benchrouter.scores.boards import Standing
from benchrouter.scores.statistics.intervals import Interval
from benchrouter.store.items import ItemCounts
from benchrouter.store.jobid import JobId
from benchrouter.store.runs import RunRecord
from benchrouter.store.states import JobState, Reason, RunState


@dataclass(frozen=True)
class LogEnd:
    """The last lines of one log; `link` leads to the file from the page's directory."""

    name: str
    link: str
    text: str


@dataclass(frozen=True)
class JobRow:
    """One job: `anchor` is its id in the page, `block` the number of its embedded items, None without any.

    `interval` is the confidence interval of `overall`; `link` leads to the artifact from the page's directory.
    """

    id: JobId
    key: str
    state: JobState
    anchor: str
    overall: float | None = None
    interval: Interval | None = None
    reason: Reason | None = None
    detail: str = ""
    counts: ItemCounts | None = None
    seconds: float | None = None
    warnings: tuple[str, ...] = ()
    block: int | None = None
    link: str = ""
    logs: tuple[LogEnd, ...] = ()

    @property
    def label(self) -> str:
        """Name the task, and the repeat when it is not the first."""
        return self.id.task + (f"#{self.id.repeat}" if self.id.repeat else "")


@dataclass(frozen=True)
class ScoreRow:
    """A result of one model; `written` is its time in seconds since the epoch, `facts` where it came from, by name.

    `now` is the result itself, `earlier` are those of the same model and work before it, the newest first.
    """

    benchmark: str
    model: str
    anchor: str
    state: RunState
    overall: float | None
    failures_as_zero: float | None
    interval: Interval | None
    coverage: Coverage
    counts: ItemCounts | None
    written: float
    jobs: tuple[JobRow, ...]
    facts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    now: Standing | None = None
    earlier: tuple[Standing, ...] = ()


@dataclass(frozen=True)
class Group:
    """Scores that may stand side by side: the same tasks, content and variables; `asked` says which.

    `superseded` where newer ones were asked for in the same words.
    """

    benchmark: str
    asked: tuple[str, ...]
    rows: tuple[ScoreRow, ...]
    superseded: bool = False


@dataclass(frozen=True)
class Page:
    """The whole page; `blocks` are embedded items as safe JSON, `notes` what a reader has to know before anything."""

    groups: tuple[Group, ...]
    runs: tuple[RunRecord, ...]
    blocks: tuple[str, ...]
    made: float
    version: str
    notes: tuple[str, ...] = ()

    @property
    def scores(self) -> tuple[ScoreRow, ...]:
        """List all scores."""
        return tuple(row for group in self.groups for row in group.rows)

    @property
    def failures(self) -> tuple[tuple[ScoreRow, JobRow], ...]:
        """List the failed jobs of present content, each once, with the first score that it is part of."""
        present = (row for group in self.groups if not group.superseded for row in group.rows)
        failed = ((row, job) for row in present for job in row.jobs if job.state is JobState.FAILED)
        found: dict[tuple[JobId, str], tuple[ScoreRow, JobRow]] = {}
        for row, job in failed:
            found.setdefault((job.id, job.key), (row, job))
        return tuple(found.values())

    @property
    def anchors(self) -> dict[tuple[JobId, str], str]:
        """Say where each job, by id and key, stands in the page."""
        return {(job.id, job.key): job.anchor for row in self.scores for job in row.jobs}
