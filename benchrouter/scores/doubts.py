"""What a reader of scores has to know of the artifacts behind them (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from benchrouter.scores.aggregate import mean
from benchrouter.scores.collected import JobResult
from benchrouter.scores.table import one_line, score


def losses(jobs: Iterable[JobResult]) -> Iterator[str]:
    """Name the jobs whose score stands in an aggregate alone: their artifact is damaged or gone."""
    for job in jobs:
        if job.lost is not None:
            yield f"{_name(job)}: no valid artifact any more in {job.lost}; its score is what the aggregate says"


def outdated(benchmark: str, model: str, tasks: Sequence[str]) -> Iterator[str]:
    """Say that a later run of some tasks has other results than those of the run that is shown."""
    if tasks:
        named = ", ".join(tasks[:3]) + (f" and {len(tasks) - 3} more" if len(tasks) > 3 else "")
        about = f"{benchmark} @ {one_line(model, 60)}"
        yield f"{about}: a later run has other results of {named}; the score shown is of an earlier run of more tasks"


def contradictions(jobs: Iterable[JobResult]) -> Iterator[str]:
    """Name the jobs whose score is not the mean of their items: they are no sample of that score."""
    for job in jobs:
        judged = [item.score for item in job.items if item.score is not None]
        if judged and job.overall is not None and not job.by_items:
            means = f"the score {score(job.overall)} is not the mean of its items, {score(mean(judged))}"
            yield f"{_name(job)}: {means}; the task counts as one observation"


def _name(job: JobResult) -> str:
    repeat = f"#{job.id.repeat}" if job.id.repeat else ""
    return f"{job.id.benchmark}/{job.id.task}{repeat} @ {one_line(job.id.model, 60)}"
