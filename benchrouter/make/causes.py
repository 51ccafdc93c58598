"""What went wrong in a run, each thing once, with all that it hit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from benchrouter.graph.nodes import JobNode, base_name
from benchrouter.make.run import Run
from benchrouter.scores.table import SHORT, one_line
from benchrouter.store.jobid import JobId
from benchrouter.store.states import JobState, Outcome, Reason

SHOWN = 10


@dataclass(frozen=True)
class Cause:
    """One failure: the images that failed by it, siblings and bases included, and the jobs."""

    reason: Reason | None
    detail: str
    log_tail: str
    images: tuple[str, ...]
    jobs: tuple[tuple[JobNode, Outcome], ...]

    @property
    def nodes(self) -> tuple[str, ...]:
        """Name all that it hit, the images first."""
        return (*self.images, *(job.name for job, _ in self.jobs))

    @property
    def told_in_table(self) -> bool:
        """Tell whether the row of its only job says all of the detail."""
        return len(self.jobs) == 1 and not self.images and one_line(self.detail, SHORT) == self.detail


def causes_of(run: Run) -> list[Cause]:
    """Group the failed images and jobs of a run by what went wrong, in the order of the graph."""
    images, jobs = run.images, run.session.graph.jobs
    nodes = {**{base_name(ref): outcome for ref, outcome in images.missing.items()}, **images.failed}
    found: dict[tuple[object, ...], tuple[list[str], list[tuple[JobNode, Outcome]]]] = {}
    for name, outcome in nodes.items():
        found.setdefault(_alike(outcome), ([], []))[0].append(name)
    for job in jobs:
        ended = run.outcomes.get(job.id)
        if ended is not None and ended.state is JobState.FAILED:
            found.setdefault(_alike(ended), ([], []))[1].append((job, ended))
    return [
        Cause(outcome.reason, outcome.detail, outcome.log_tail, tuple(names), tuple(hit))
        for names, hit in found.values()
        for outcome in [hit[0][1] if hit else nodes[names[0]]]
    ]


def _alike(outcome: Outcome) -> tuple[object, ...]:
    return (outcome.reason, outcome.detail, outcome.log_tail)


def told_in_blocks(causes: Iterable[Cause]) -> frozenset[JobId]:
    """Name the jobs that share a cause whose block is shown, so that not each of their rows has to say it again."""
    return frozenset(job.id for cause in list(causes)[:SHOWN] if len(cause.jobs) > 1 for job, _ in cause.jobs)
