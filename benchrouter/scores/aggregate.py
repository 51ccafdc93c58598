"""From jobs to one score: means that never hide what did not run (pure)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchrouter.store.items import ItemCounts
from benchrouter.store.jobid import JobId
from benchrouter.store.states import JobState, Reason, RunState


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
            "jobs": [_job_json(job) for job in self.jobs],
        }

    def to_bytes(self) -> bytes:
        """Give the file's bytes: the same for the same jobs, in whatever order they ended."""
        return json.dumps(self.to_json(), indent=2, allow_nan=False).encode() + b"\n"


def aggregate(benchmark: str, model: str, declared: int, jobs: Iterable[JobScore]) -> Aggregate:
    """Aggregate the jobs of a run; `declared` counts the benchmark's tasks x repeats, asked for or not."""
    ordered = tuple(sorted(jobs, key=lambda job: job.id))
    completed = sum(job.completed for job in ordered)
    return Aggregate(
        benchmark=benchmark,
        model=model,
        state=RunState.of(job.state for job in ordered),
        overall=_mean_of_tasks(ordered, failures_as_zero=False),
        overall_failures_as_zero=_mean_of_tasks(ordered, failures_as_zero=True),
        coverage=Coverage(completed, max(declared, len(ordered))),
        jobs=ordered,
    )


def _mean_of_tasks(jobs: Sequence[JobScore], *, failures_as_zero: bool) -> float | None:
    """Average each task's repeats first, so that a task repeated more often does not weigh more."""
    scores: dict[str, list[float]] = {}
    for job in jobs:
        if job.completed and job.overall is not None:
            scores.setdefault(job.id.task, []).append(job.overall)
        elif failures_as_zero and job.own_failure:
            scores.setdefault(job.id.task, []).append(0.0)
    return _mean([_mean(values) or 0.0 for values in scores.values()])


def _mean(values: Sequence[float]) -> float | None:
    if not values:
        return None
    # Rounding must not carry a mean beyond its values: six times 0.8 is 0.8.
    return min(max(math.fsum(values) / len(values), min(values)), max(values))


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
