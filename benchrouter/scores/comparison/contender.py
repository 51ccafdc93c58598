"""One model in a comparison: its score under the declared rule, and the observations behind it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from benchrouter.scores.aggregate import Aggregate, JobScore, aggregate, by_rule, mean
from benchrouter.scores.collected import JobResult, jobs_of
from benchrouter.scores.comparison.choosing import Chosen
from benchrouter.scores.statistics.intervals import Interval, of_mean, of_score, weights_of
from benchrouter.scores.statistics.repeats import Spread, pass_all, pass_at, spread
from benchrouter.spec.aggregation import Aggregation

Observations = dict[str, float]
"""Scores by item, or the task's own score under "" where it has no items; each the mean over repeats."""


@dataclass(frozen=True)
class Passes:
    """How likely one of k tries, or all of them, are right, for k = 1, 2, … in that order."""

    at: tuple[float, ...]
    all: tuple[float, ...]


@dataclass(frozen=True)
class Contender:
    """A model's jobs of one aggregate; `declared` counts jobs, those of unwanted tasks left out.

    `newer` names the tasks of which a later run has other results.
    """

    model: str
    jobs: tuple[JobResult, ...]
    variables: Mapping[str, str] | None
    rule: Aggregation
    declared: int
    newer: tuple[str, ...] = ()

    @cached_property
    def scored(self) -> Aggregate:
        """Apply the declared aggregation to what is on disk now."""
        scores = [JobScore(j.id, j.key, j.state, j.overall, j.reason, j.counts) for j in self.jobs]
        benchmark = self.jobs[0].id.benchmark if self.jobs else ""
        return aggregate(benchmark, self.model, self.declared, scores, self.rule)

    @cached_property
    def of_task(self) -> dict[str, list[JobResult]]:
        """Give the jobs of each task, its repeats."""
        found: dict[str, list[JobResult]] = {}
        for job in self.jobs:
            found.setdefault(job.id.task, []).append(job)
        return found

    @property
    def tasks(self) -> tuple[str, ...]:
        """Name the tasks that were asked for."""
        return tuple(self.of_task)

    @cached_property
    def repeats(self) -> dict[str, int]:
        """Count how often each task was asked for."""
        return {task: len(jobs) for task, jobs in self.of_task.items()}

    @cached_property
    def tries(self) -> dict[str, dict[str, list[float]]]:
        """Give the scores behind the declared one, by task and item, of every repeat.

        Items count where the score of each repeat is their mean; elsewhere the task's own score does, under "".
        """
        found: dict[str, dict[str, list[float]]] = {}
        for task, jobs in self.of_task.items():
            completed = [job for job in jobs if job.overall is not None]
            if completed and all(job.by_items for job in completed):
                found[task] = _by_item(completed)
            elif completed:
                found[task] = {"": [job.overall for job in completed if job.overall is not None]}
        return found

    @cached_property
    def observations(self) -> dict[str, Observations]:
        """Average the repeats of each of them."""
        return {task: _means(items) for task, items in self.tries.items()}

    @cached_property
    def judged(self) -> dict[str, Observations]:
        """Give the scores of items, whatever the task makes of them; those of tasks without items under ""."""
        return {task: _means(_by_item(self.of_task[task])) or own for task, own in self.observations.items()}

    @cached_property
    def interval(self) -> Interval | None:
        """Give the confidence interval of the score; None where that is one observation."""
        strata = {task: list(scores.values()) for task, scores in self.observations.items()}
        weights = weights_of(strata, self.rule)
        counted = sum(len(scores) for task, scores in strata.items() if weights[task])
        return of_score(strata, self.rule) if counted > 1 else None

    def interval_of(self, task: str) -> Interval | None:
        """Give the confidence interval of one task's score; None for one observation, as a task without items is."""
        scores = list(self.observations.get(task, {}).values())
        return of_mean(scores) if len(scores) > 1 else None

    def score_of(self, task: str) -> float | None:
        """Give one task's score, the mean over its repeats."""
        scores = [job.overall for job in self.of_task.get(task, ()) if job.overall is not None]
        return mean(scores) if scores else None

    @cached_property
    def by_repeat(self) -> Spread:
        """Describe the declared score of each repeat in which every task completed."""
        numbers = {job.id.repeat for job in self.jobs}
        scores: list[float] = []
        for number in sorted(numbers):
            jobs = tuple(job for job in self.jobs if job.id.repeat == number)
            whole = len(jobs) == len(self.tasks) and all(job.overall is not None for job in jobs)
            part = Contender(self.model, jobs, self.variables, self.rule, len(jobs)) if whole else None
            if part is not None and part.scored.overall is not None:
                scores.append(part.scored.overall)
        return spread(scores)

    @cached_property
    def passes(self) -> Passes | None:
        """Estimate pass@k and pass^k under the declared rule; None without repeats, or for scores beside 0 and 1."""
        items = [tries for task in self.tries.values() for tries in task.values()]
        most = min(map(len, items), default=0)
        if most < 2 or any(score not in (0, 1) for tries in items for score in tries):
            return None
        return Passes(
            tuple(self._passes(pass_at, k) for k in range(1, most + 1)),
            tuple(self._passes(pass_all, k) for k in range(1, most + 1)),
        )

    def _passes(self, estimate: Callable[[int, int, int], float | None], k: int) -> float:
        means, sizes = {}, {}
        for task, items in self.tries.items():
            values = [estimate(len(tries), round(sum(tries)), k) or 0.0 for tries in items.values()]
            means[task], sizes[task] = math.fsum(values) / len(values), float(len(values))
        return by_rule(self.rule, means, sizes) or 0.0


def _by_item(jobs: Iterable[JobResult]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for job in jobs:
        for item in job.items:
            if item.score is not None:
                found.setdefault(item.id, []).append(item.score)
    return found


def _means(items: Mapping[str, Sequence[float]]) -> Observations:
    return {item: scores[0] if len(scores) == 1 else mean(scores) for item, scores in items.items()}


def contend(results: Path, chosen: Chosen, tasks: Collection[str] | None = None) -> Contender:
    """Read a chosen aggregate's jobs; with `tasks`, only theirs."""
    listed = chosen.listed
    jobs, declared = jobs_of(results, listed), listed.declared
    if tasks is not None:
        jobs = tuple(job for job in jobs if job.id.task in tasks)
        declared = len(jobs)
    return Contender(listed.model, jobs, chosen.variables, listed.rule, declared, chosen.newer)
