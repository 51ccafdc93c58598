"""Results as they lie on disk: aggregates, their jobs and items, from `results/` alone.

Everything here reads and nothing writes. A file that is torn, foreign or in the wrong place is as if it were missing.
`results` is the directory of that name, of a workspace or a copy of it anywhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from benchrouter.scores.aggregate import mean
from benchrouter.scores.listed import Listed, read_aggregate
from benchrouter.spec.names import component_fault, encode
from benchrouter.store import documents, layout
from benchrouter.store.artifact import read_failure, read_whole, score_of
from benchrouter.store.items import KEY as ITEMS
from benchrouter.store.items import ItemCounts
from benchrouter.store.jobid import JobId
from benchrouter.store.states import JobState, Reason

__all__ = [
    "ItemResult",
    "JobResult",
    "Listed",
    "aggregates",
    "as_asked",
    "completed_results",
    "jobs_of",
    "newest_attempt",
    "read_aggregate",
    "read_result",
    "variables_of",
]

_ROUNDED = 0.0005
_OWN_KEYS = frozenset({"id", "score", "error", "tokens"})
_NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class ItemResult:
    """One item of a task: `score` in 0..1, None where it could not be judged and `error` says why.

    `tokens` are those of prompt and completion, as far as known; `more` is whatever else the task wrote of the item.
    """

    id: str
    score: float | None
    error: str = ""
    tokens: tuple[int | None, int | None] | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class JobResult:
    """One job: its score in 0..1 and items when it completed, else why not.

    `directory` is its artifact (of a failed one the newest attempt), None when there is none; `facts` its job.json.
    `lost` is where the artifact of a completed one should be, and is not valid any more.
    """

    id: JobId
    key: str
    state: JobState
    overall: float | None = None
    reason: Reason | None = None
    items: tuple[ItemResult, ...] = ()
    directory: Path | None = None
    facts: Mapping[str, Any] = field(default_factory=dict, repr=False)
    seconds: float = 0.0
    lost: Path | None = None

    @property
    def inputs(self) -> Mapping[str, Any]:
        """Give what made the key, as job.json says it; empty when that is not known."""
        inputs = self.facts.get("inputs")
        return inputs if isinstance(inputs, dict) else _NOTHING

    @property
    def variables(self) -> Mapping[str, str]:
        """Give the variables in capitals of the run that made it."""
        variables = self.inputs.get("variables")
        return variables if isinstance(variables, dict) else _NOTHING

    @property
    def seed(self) -> int | None:
        """Give the seed of the first repeat, typed or of task.yaml."""
        seed = self.inputs.get("seed")
        return seed if type(seed) is int else None

    @property
    def counts(self) -> ItemCounts | None:
        """Count the items, judged and selected; None for a job without."""
        return ItemCounts(sum(i.score is not None for i in self.items), len(self.items)) if self.items else None

    @cached_property
    def by_items(self) -> bool:
        """Tell whether the score is the mean of the judged items, but for rounding to three digits."""
        judged = [item.score for item in self.items if item.score is not None]
        return bool(judged) and self.overall is not None and abs(mean(judged) - self.overall) <= _ROUNDED

    def provenance(self) -> Mapping[str, Any]:
        """Read what may differ between two runs (times, hosts, ids); empty when it is lost."""
        return (documents.read(self.directory / layout.PROVENANCE) if self.directory else None) or {}


def aggregates(results: Path, benchmark: str | None = None) -> Iterator[Listed]:
    """List all aggregates on disk, or those of one benchmark, the headline of each model first."""
    for name in [benchmark] if benchmark is not None else _directories(results):
        if component_fault(name) is None:
            for model in _directories(results / name):
                yield from _aggregates_of(results / name / model)


def jobs_of(results: Path, listed: Listed) -> tuple[JobResult, ...]:
    """Follow an aggregate to its jobs; where artifact and aggregate differ, the artifact is right.

    In a copy of nothing but aggregates no artifact is lost.
    """
    jobs = [_follow(results, listed, job) for job in listed.document["jobs"]]
    some = any(job.state is JobState.COMPLETED and job.directory for job in jobs)
    return tuple(_lost(results, job, some=some) for job in jobs)


def variables_of(results: Path, listed: Listed) -> Mapping[str, str] | None:
    """Tell with which variables in capitals an aggregate's jobs were run; None when no artifact is left to tell.

    A headline is of a run without any: that is what makes it one.
    """
    if listed.headline:
        return {}
    for job in listed.document["jobs"]:
        asked = as_asked(results, listed, job)
        if asked is not None:
            return asked.variables
    return None


def as_asked(results: Path, listed: Listed, job: Mapping[str, Any]) -> JobResult | None:
    """Give a job of an aggregate's file with its job.json alone, to tell what was asked; None when that is gone."""
    id = JobId(listed.benchmark, job["task"], listed.model, job["repeat"])
    facts: Mapping[str, Any] | None = documents.read(_task(results, id) / job["key"] / layout.JOB)
    if facts is None and job["state"] == JobState.FAILED.value:
        facts = _failed(results, id, job["key"])[1] or None
    return None if facts is None else JobResult(id, job["key"], JobState.QUEUED, facts=facts)


def newest_attempt(results: Path, id: JobId, key: str) -> Path | None:
    """Give the directory of the newest failed attempt at a job under a key."""
    return _failed(results, id, key)[0]


def completed_results(results: Path, benchmark: str | None = None) -> Iterator[JobResult]:
    """Read every completed job on disk, or those of one benchmark: all keys, old ones too."""
    for name in [benchmark] if benchmark is not None else _directories(results):
        for model in _directories(results / name):
            for task in _directories(results / name / model):
                for key in _directories(results / name / model / task) if task != "aggregates" else ():
                    found = read_result(results / name / model / task / key) if key != "failed" else None
                    if found and (found.id.benchmark, encode(found.id.model), found.id.task) == (name, model, task):
                        yield found


def read_result(directory: Path) -> JobResult | None:
    """Read the artifact of one completed job; None when it is torn, foreign, or under a name that is not its key."""
    found = read_whole(directory)
    if found is None or found[0].key != directory.name:
        return None
    done, job, result = found
    items = tuple([_item(item) for item in result["raw_metrics"][ITEMS]]) if done.items is not None else ()
    return JobResult(done.id, done.key, JobState.COMPLETED, done.overall, None, items, directory, job, done.seconds)


def _item(item: Mapping[str, Any]) -> ItemResult:
    score, tokens = item.get("score"), item.get("tokens")
    more = {key: value for key, value in item.items() if key not in _OWN_KEYS} if len(item) > 2 else {}
    return ItemResult(
        item["id"],
        None if score is None else float(score),
        item.get("error") or "",
        None if tokens is None else (tokens.get("prompt"), tokens.get("completion")),
        more,
    )


def _aggregates_of(directory: Path) -> Iterator[Listed]:
    headline = _listed(directory, directory / "aggregate.json", headline=True)
    if headline is not None:
        yield headline
    for path in sorted((directory / "aggregates").glob("*.json")):
        listed = _listed(directory, path, headline=False)
        if listed is not None and (headline is None or listed.document != headline.document):
            yield listed


def _listed(directory: Path, path: Path, *, headline: bool) -> Listed | None:
    found = read_aggregate(path, headline=headline)
    if found is None or (found.benchmark, encode(found.model)) != (directory.parent.name, directory.name):
        return None
    return found


def _follow(results: Path, listed: Listed, job: Mapping[str, Any]) -> JobResult:
    id, key = JobId(listed.benchmark, job["task"], listed.model, job["repeat"]), job["key"]
    found = read_result(_task(results, id) / key)
    if found is not None and found.id == id:
        return found
    state, reason = JobState(job["state"]), Reason.of(job["reason"]) if job.get("reason") else None
    if state is JobState.FAILED:
        directory, facts, seconds = _failed(results, id, key)
        return JobResult(id, key, state, reason=reason, directory=directory, facts=facts, seconds=seconds)
    return JobResult(id, key, state, score_of(job.get("overall")))


def _lost(results: Path, job: JobResult, *, some: bool) -> JobResult:
    if job.state is not JobState.COMPLETED or job.directory is not None:
        return job
    place = _task(results, job.id) / job.key
    return replace(job, lost=place) if some or place.exists() else job


def _failed(results: Path, id: JobId, key: str) -> tuple[Path | None, Mapping[str, Any], float]:
    """Find the newest failed attempt at a job under a key, its job.json, and how long it took."""
    directory = _task(results, id) / "failed"
    for number in sorted((int(name) for name in _directories(directory) if name.isdecimal()), reverse=True):
        attempt = read_failure(directory / str(number))
        if attempt is not None and (attempt.id, attempt.key) == (id, key):
            facts = documents.read(directory / str(number) / layout.JOB) or {}
            return directory / str(number), facts, attempt.seconds
    return None, {}, 0.0


def _task(results: Path, id: JobId) -> Path:
    return results / id.benchmark / encode(id.model) / id.task


def _directories(directory: Path) -> Iterable[str]:
    try:
        with os.scandir(directory) as entries:
            return sorted(entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir())
    except OSError:
        return ()
