"""The files of aggregates: which jobs were asked for together, and how they ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchrouter.scores.aggregate import JobScore
from benchrouter.spec.aggregation import Aggregation
from benchrouter.spec.names import component_fault
from benchrouter.store import documents
from benchrouter.store.artifact import score_of
from benchrouter.store.items import ItemCounts
from benchrouter.store.jobid import JobId
from benchrouter.store.states import JobState, Reason


@dataclass(frozen=True)
class Listed:
    """An aggregate's file: which jobs of a benchmark and a model were asked for together, read but not followed.

    `headline` marks the one that is the benchmark's aggregate.json too; `written` is its time in ns since the epoch.
    """

    benchmark: str
    model: str
    path: Path
    headline: bool
    written: int
    document: Mapping[str, Any] = field(repr=False)

    @property
    def declared(self) -> int:
        """Count the jobs that the benchmark declares, asked for or not."""
        return int(self.document["coverage"]["declared"])

    @property
    def rule(self) -> Aggregation:
        """Give the declared aggregation under which it was written."""
        return Aggregation.from_json(self.document.get("aggregate", "mean"))

    def scores(self) -> tuple[JobScore, ...]:
        """Give its jobs as the file alone tells them."""
        return tuple(_score(self.benchmark, self.model, job) for job in self.document["jobs"])

    @property
    def tasks(self) -> tuple[str, ...]:
        """Name the tasks that were asked for."""
        return tuple(dict.fromkeys(job["task"] for job in self.document["jobs"]))


def read_aggregate(path: Path, *, headline: bool = False) -> Listed | None:
    """Read an aggregate's file, wherever it lies; None when it is torn or foreign."""
    document = documents.read(path)
    if document is None or not _sound(document):
        return None
    benchmark, model = document["benchmark_name"], document["model_name"]
    try:
        return Listed(benchmark, model, path, headline, path.stat().st_mtime_ns, document)
    except OSError:  # another run replaces or prunes it at this moment
        return None


def _sound(document: Mapping[str, Any]) -> bool:
    jobs, coverage = document.get("jobs"), document.get("coverage")
    return (
        all(isinstance(document.get(f"{kind}_name"), str) for kind in ("benchmark", "model"))
        and isinstance(coverage, dict)
        and type(coverage.get("declared")) is int
        and _sound_rule(document.get("aggregate", "mean"))
        and isinstance(jobs, list)
        and all(isinstance(job, dict) and _sound_job(job) for job in jobs)
    )


def _sound_rule(rule: Any) -> bool:
    try:
        return bool(Aggregation.from_json(rule).rule)
    except ValueError:
        return False


def _sound_job(job: Mapping[str, Any]) -> bool:
    task, key, reason = job.get("task"), job.get("key"), job.get("reason")
    return (
        isinstance(task, str)
        and component_fault(task) is None
        and isinstance(key, str)
        and key.isalnum()
        and type(job.get("repeat")) is int
        and job.get("state") in list(JobState.__members__)
        and (reason is None or reason in [each.word for each in Reason])
        and (job["state"] != JobState.COMPLETED.value or score_of(job.get("overall")) is not None)
    )


def _score(benchmark: str, model: str, job: Mapping[str, Any]) -> JobScore:
    id, counts = JobId(benchmark, job["task"], model, job["repeat"]), job.get("items")
    known = isinstance(counts, dict) and all(type(counts.get(name)) is int for name in ("judged", "selected"))
    items = ItemCounts(counts["judged"], counts["selected"]) if known and counts else None
    reason = Reason.of(job["reason"]) if job.get("reason") else None
    return JobScore(id, job["key"], JobState(job["state"]), score_of(job.get("overall")), reason, items)
