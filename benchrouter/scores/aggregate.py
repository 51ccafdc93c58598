"""From jobs to one score: means that never hide what did not run (pure)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchrouter.spec.aggregation import Aggregation
from benchrouter.store.items import ItemCounts
from benchrouter.store.jobid import JobId
from benchrouter.store.states import JobState, Reason, RunState

MEAN = Aggregation()


@dataclass(frozen=True)
class JobScore:
    """How one job ended, with what an aggregate needs: `overall` in 0..1 when it completed, else a reason.

    `items` counts those of a completed job that wrote any.
    """

    id: JobId
    key: str
    state: JobState
    overall: float | None = None
    reason: Reason | None = None
    items: ItemCounts | None = None

    @property
    def completed(self) -> bool:
        """Tell whether the job has a score."""
        return self.state is JobState.COMPLETED and self.overall is not None

    @property
    def own_failure(self) -> bool:
        """Tell whether the task failed by itself, not for the infrastructure's sake."""
        return self.state is JobState.FAILED and self.reason is not None and not self.reason.infrastructure


@dataclass(frozen=True)
class Coverage:
    """How much of what is declared has a score: jobs (tasks x repeats)."""

    completed: int
    declared: int

    def __str__(self) -> str:
        return f"{self.completed}/{self.declared}"


@dataclass(frozen=True)
class Aggregate:
    """Scores of one benchmark and model; both means are None when no job counts."""

    benchmark: str
    model: str
    state: RunState
    overall: float | None
    overall_failures_as_zero: float | None
    coverage: Coverage
    jobs: tuple[JobScore, ...]
    rule: Aggregation = MEAN

    @property
    def items(self) -> ItemCounts | None:
        """Sum up the items of the jobs that have any."""
        counts = [job.items for job in self.jobs if job.items]
        return sum(counts, start=ItemCounts(0, 0)) if counts else None

    def to_json(self) -> dict[str, Any]:
        """Give the form of `aggregate.json`."""
        return {
            "benchmark_name": self.benchmark,
            "model_name": self.model,
            "state": self.state.value,
            "overall": self.overall,
            "overall_failures_as_zero": self.overall_failures_as_zero,
            "coverage": {"completed": self.coverage.completed, "declared": self.coverage.declared},
            "items": _items_json(self.items),
            # Without the default, so that files of earlier versions say the same.
            **({} if self.rule == MEAN else {"aggregate": self.rule.to_json()}),
            "jobs": [_job_json(job) for job in self.jobs],
        }

    def to_bytes(self) -> bytes:
        """Give the file's bytes: the same for the same jobs, in whatever order they ended."""
        return json.dumps(self.to_json(), indent=2, allow_nan=False).encode() + b"\n"


def aggregate(
    benchmark: str, model: str, declared: int, jobs: Iterable[JobScore], rule: Aggregation = MEAN
) -> Aggregate:
    """Aggregate the jobs of a run; `declared` counts the benchmark's tasks x repeats, asked for or not.

    What has no score does not count, whatever the rule: the weights of the others stand for all.
    """
    ordered = tuple(sorted(jobs, key=lambda job: job.id))
    completed = sum(job.completed for job in ordered)
    return Aggregate(
        benchmark=benchmark,
        model=model,
        state=RunState.of(job.state for job in ordered),
        overall=_overall(ordered, rule, failures_as_zero=False),
        overall_failures_as_zero=_overall(ordered, rule, failures_as_zero=True),
        coverage=Coverage(completed, max(declared, len(ordered))),
        jobs=ordered,
        rule=rule,
    )


def _overall(jobs: Sequence[JobScore], rule: Aggregation, *, failures_as_zero: bool) -> float | None:
    """Average each task's repeats first, so that a task repeated more often does not weigh more."""
    by_items = rule.rule == "items"
    scores: dict[str, list[tuple[float, float]]] = {}
    typical = _typical_size(jobs) if by_items else 1.0
    for job in jobs:
        if job.completed and job.overall is not None:
            scores.setdefault(job.id.task, []).append((job.overall, _size(job) if by_items else 1.0))
        elif failures_as_zero and job.own_failure:
            scores.setdefault(job.id.task, []).append((0.0, typical))
    tasks = {task: weighted_mean(pairs) or 0.0 for task, pairs in scores.items()}
    sizes = {task: math.fsum(size for _, size in pairs) / len(pairs) for task, pairs in scores.items()}
    return by_rule(rule, tasks, sizes)


def by_rule(rule: Aggregation, tasks: Mapping[str, float], sizes: Mapping[str, float]) -> float | None:
    """Make one number of one for each task; `sizes` count the items behind each, and matter to `items` alone."""
    if not tasks:
        return None
    if rule.rule in ("min", "max"):
        return (min if rule.rule == "min" else max)(tasks.values())
    weights = rule.weights if rule.rule == "weighted" else sizes if rule.rule == "items" else dict.fromkeys(tasks, 1.0)
    return weighted_mean([(score, weights.get(task, 0.0)) for task, score in tasks.items()])


def _size(job: JobScore) -> float:
    """Count the items that stand behind a score; a score without items counts as one."""
    return float(max(1, job.items.judged)) if job.items else 1.0


def _typical_size(jobs: Sequence[JobScore]) -> float:
    """Say how many items a job stands for that failed before it could tell: as many as the others have on average."""
    sizes = [_size(job) for job in jobs if job.completed]
    return math.fsum(sizes) / len(sizes) if sizes else 1.0


def weighted_mean(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Average values by their weights; None where nothing has any weight."""
    counted = [(value, weight) for value, weight in pairs if weight > 0]
    if not counted:
        return None
    total = math.fsum(weight for _, weight in counted)
    return _within(math.fsum(value * weight for value, weight in counted) / total, [value for value, _ in counted])


def mean(values: Sequence[float]) -> float:
    """Average values, of which there is at least one."""
    return _within(math.fsum(values) / len(values), values)


def _within(mean: float, values: Sequence[float]) -> float:
    """Hold a mean within its values, beyond which rounding could carry it: six times 0.8 is 0.8."""
    return min(max(mean, min(values)), max(values))


def _job_json(job: JobScore) -> dict[str, Any]:
    return {
        "task": job.id.task,
        "repeat": job.id.repeat,
        "key": job.key,
        "state": job.state.value,
        "reason": job.reason.word if job.reason else None,
        "overall": job.overall,
        "items": _items_json(job.items),
    }


def _items_json(items: ItemCounts | None) -> dict[str, int] | None:
    return {"judged": items.judged, "selected": items.selected} if items else None
