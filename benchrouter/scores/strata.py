"""What the jobs of a result were judged on, as the statistics take it: observations by task (pure)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchrouter.scores.collected import JobResult
from benchrouter.scores.statistics.intervals import Interval, of_mean, of_score
from benchrouter.spec.aggregation import Aggregation

_SAME = 1e-6


def strata_of(jobs: Sequence[JobResult]) -> dict[str, list[float]]:
    """Give each task's observations: its items, each averaged over repeats, else its own score averaged likewise.

    Repeats of an item say more of that item, and are no items more.
    """
    items: dict[str, dict[str, list[float]]] = {}
    overall: dict[str, list[float]] = {}
    for job in jobs:
        if job.overall is None:
            continue
        overall.setdefault(job.id.task, []).append(job.overall)
        for item in job.items:
            if item.score is not None:
                items.setdefault(job.id.task, {}).setdefault(item.id, []).append(item.score)
    return {
        task: [_mean(scores) for scores in items[task].values()] if task in items else [_mean(own)]
        for task, own in overall.items()
    }


def interval_of(jobs: Sequence[JobResult], rule: Aggregation, overall: float | None) -> Interval | None:
    """Give the confidence interval of a result's score; None where it does not hold the score.

    That is so where a task's score is not the mean of its items.
    """
    found = of_score(strata_of(jobs), rule) if overall is not None else None
    return found if found is not None and _holds(found, overall) else None


def interval_of_job(job: JobResult) -> Interval | None:
    """Give the confidence interval of one job's score; None without items, or where it is not their mean."""
    judged = [item.score for item in job.items if item.score is not None]
    if not judged or job.overall is None or abs(_mean(judged) - job.overall) > _SAME:
        return None
    return of_mean(judged)


def _holds(interval: Interval, score: float | None) -> bool:
    return score is not None and interval.low - _SAME <= score <= interval.high + _SAME


def _mean(scores: Sequence[float]) -> float:
    return math.fsum(scores) / len(scores)
