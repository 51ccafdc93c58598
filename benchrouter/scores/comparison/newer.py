"""Whether a later run has other results of the tasks that an aggregate is shown for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchrouter.scores.collected import JobResult, Listed, as_asked
from benchrouter.scores.dates import is_newer
from benchrouter.scores.seeds import typed_seed

_Job = Mapping[str, Any]


def newer_tasks(results: Path, shown: Listed, others: Iterable[Listed], tasks: Collection[str]) -> tuple[str, ...]:
    """Name the tasks of which the latest of `others` holds other jobs; `others` are of the same variables.

    More or fewer repeats of the same are no other jobs, a seed that was typed is another ask, and a change that was
    taken back and run again is none.
    """
    known = {(job["task"], job["repeat"]): job for job in shown.document["jobs"] if job["task"] in tasks}
    latest = {task: shown for task, _ in known}
    differing: set[str] = set()
    for other in others:
        for task in latest.keys() & {*other.tasks}:
            if is_newer(results, other, latest[task]):
                new = next(((job, old) for job, old in _pairs(other, task, known) if old["key"] != job["key"]), None)
                if new is None or _same_seed(results, other, new[0], shown, new[1]):
                    latest[task] = other
                    (differing.discard if new is None else differing.add)(task)
    return tuple(task for task in shown.tasks if task in differing)


def _pairs(other: Listed, task: str, known: Mapping[tuple[str, int], _Job]) -> Iterator[tuple[_Job, _Job]]:
    for job in other.document["jobs"]:
        if job["task"] == task and (task, job["repeat"]) in known:
            yield job, known[task, job["repeat"]]


def _same_seed(results: Path, one: Listed, job: _Job, other: Listed, its: _Job) -> bool:
    return bool(_seed(as_asked(results, one, job)) == _seed(as_asked(results, other, its)))


def _seed(job: JobResult | None) -> Any:
    return None if job is None else typed_seed(job.inputs.get("seed"), job.inputs.get("task"))
