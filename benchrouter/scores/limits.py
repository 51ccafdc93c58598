"""The intervals that stand beside scores: none where a task's score is not the mean of its items (pure)."""

from __future__ import annotations

from benchrouter.scores.collected import JobResult
from benchrouter.scores.comparison.contender import Contender
from benchrouter.scores.statistics.intervals import Interval, of_mean

_SAME = 1e-6


def limits_of(contender: Contender) -> Interval | None:
    """Give the confidence interval of a model's score, if it holds that score."""
    overall, found = contender.scored.overall, contender.interval
    if overall is None or found is None:
        return None
    return found if found.low - _SAME <= overall <= found.high + _SAME else None


def limits_of_job(job: JobResult) -> Interval | None:
    """Give the confidence interval of one job's score; None without items, or of one item."""
    scores = [item.score for item in job.items if item.score is not None]
    return of_mean(scores) if job.by_items and len(scores) > 1 else None
