"""Whether a later run has other results of the tasks that an aggregate is shown for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchrouter.scores.collected import JobResult, Listed, asked_of
from benchrouter.scores.dates import is_newer
from benchrouter.scores.seeds import typed_seed


def newer_tasks(results: Path, shown: Listed, others: Iterable[Listed], tasks: Collection[str]) -> tuple[str, ...]:
    """Name the tasks of which a later one of `others` holds other jobs; `others` are of the same variables.

    More or fewer repeats of the same are no other jobs, and a seed that was typed is another ask.
    """
    known = {(job["task"], job["repeat"]): job for job in shown.document["jobs"] if job["task"] in tasks}
    found: set[str] = set()
    for other in others:
        differing = [job for job in _other_jobs(other, known) if job["task"] not in found]
        if differing and is_newer(results, other, shown):
            pairs = ((job, known[job["task"], job["repeat"]]) for job in differing)
            found |= {
                new["task"] for new, old in pairs
                if _seed(asked_of(results, other, new)) == _seed(asked_of(results, shown, old))
            }  # fmt: skip
    return tuple(task for task in shown.tasks if task in found)


def _other_jobs(other: Listed, known: Mapping[tuple[str, int], Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for job in other.document["jobs"]:
        mine = known.get((job["task"], job["repeat"]))
        if mine is not None and mine["key"] != job["key"]:
            yield job


def _seed(job: JobResult | None) -> Any:
    return None if job is None else typed_seed(job.inputs.get("seed"), job.inputs.get("task"))
