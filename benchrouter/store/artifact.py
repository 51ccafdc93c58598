"""The documents in an artifact directory: written and read back here, so that the two cannot drift apart.

job.json       what the job is, how it ended, and the inputs that made its key; byte-stable
result.json    the standardised envelope of a completed job; byte-stable
provenance.json  what may differ between two identical runs: run, seconds, ids, versions, hosts
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchrouter.store import documents, layout
from benchrouter.store.items import ItemCounts, read_items
from benchrouter.store.jobid import JobId
from benchrouter.store.states import JobState, Outcome, Reason
from benchrouter.store.typed import seconds_or_none


@dataclass(frozen=True, slots=True)
class CompletedJob:
    """A completed job as its artifact directory tells it; `seconds` is 0.0 when provenance is lost."""

    id: JobId
    key: str
    overall: float
    seconds: float
    warnings: tuple[str, ...]
    path: str
    items: ItemCounts | None = None


@dataclass(frozen=True)
class FailedAttempt:
    """Attempt number `n` at a job, which failed; numbers grow and are not reused."""

    n: int
    id: JobId
    key: str
    reason: Reason
    detail: str
    run_id: str
    seconds: float
    path: str


def write_documents(
    directory: Path,
    id: JobId,
    key: str,
    outcome: Outcome,
    *,
    inputs: Mapping[str, Any],
    provenance: Mapping[str, Any],
    run_id: str,
    raw_metrics: Any = None,
) -> None:
    """Write the documents of one attempt into its staging directory, result.json only when it completed.

    `inputs` is what made the key; `raw_metrics` the task's whole result, null for what is not finite in it.
    """
    job: dict[str, Any] = {"benchmark": id.benchmark, "task": id.task, "model": id.model, "repeat": id.repeat}
    job |= {"key": key, "state": outcome.state.value, "inputs": dict(inputs)}
    if outcome.completed:
        job["warnings"] = list(outcome.warnings)
        envelope = {"benchmark_name": id.benchmark, "task_name": id.task, "model_name": id.model}
        result = {**envelope, "overall": outcome.overall, "raw_metrics": raw_metrics}
        (directory / layout.RESULT).write_bytes(documents.to_lines(result))
    else:
        job |= {"reason": outcome.reason.word if outcome.reason else None, "detail": outcome.detail}
    (directory / layout.JOB).write_bytes(documents.to_bytes(job))
    facts = {**provenance, "run_id": run_id, "seconds": round(outcome.seconds, 3)}
    (directory / layout.PROVENANCE).write_bytes(documents.to_bytes(facts))


def read_job(path: Path) -> CompletedJob | None:
    """Read a completed job's artifact directory; None when its documents are torn, foreign or at odds."""
    found = read_completed(path)
    return found if found is not None and found.key == path.name else None


def read_completed(path: Path) -> CompletedJob | None:
    """Read the documents of a completed attempt in any directory, a staging directory for one."""
    found = read_whole(path)
    return found[0] if found is not None else None


def read_whole(path: Path) -> tuple[CompletedJob, dict[str, Any], dict[str, Any]] | None:
    """Read a completed attempt as `read_completed` does, and give its job.json and result.json along."""
    job = documents.read(path / layout.JOB)
    if job is None or job.get("state") != JobState.COMPLETED.value:
        return None
    id, key, warnings = _job_id(job), job.get("key"), job.get("warnings")
    if id is None or not isinstance(key, str) or not isinstance(warnings, list):
        return None
    result = documents.read(path / layout.RESULT)
    if result is None or "raw_metrics" not in result:
        return None
    names = [result.get(f"{kind}_name") for kind in ("benchmark", "task", "model")]
    if names != [id.benchmark, id.task, id.model]:
        return None
    overall = score_of(result.get("overall"))
    if overall is None:
        return None
    seconds, _ = _provenance(path)
    items = read_items(result["raw_metrics"]).counts
    return CompletedJob(id, key, overall, seconds, tuple(map(str, warnings)), str(path), items), job, result


def read_failure(path: Path) -> FailedAttempt | None:
    """Read the documents of a failed attempt; None when they are torn or foreign.

    `n` is the directory's number, 0 for a directory that is not (yet) one of `failed/<n>/`.
    """
    job = documents.read(path / layout.JOB)
    if job is None or job.get("state") != JobState.FAILED.value:
        return None
    n = int(path.name) if path.name.isdecimal() else 0
    id, key, detail = _job_id(job), job.get("key"), job.get("detail")
    if id is None or not isinstance(key, str) or not isinstance(detail, str):
        return None
    try:
        reason = Reason.of(str(job.get("reason")))
    except ValueError:
        return None
    seconds, run_id = _provenance(path)
    return FailedAttempt(n, id, key, reason, detail, run_id, seconds, str(path))


def _job_id(job: Mapping[str, Any]) -> JobId | None:
    names = [job.get(kind) for kind in ("benchmark", "task", "model")]
    repeat = job.get("repeat")
    if not all(isinstance(name, str) for name in names) or type(repeat) is not int:
        return None
    benchmark, task, model = map(str, names)
    return JobId(benchmark, task, model, repeat)


def score_of(value: object) -> float | None:
    """Take a value of a document for a score: a number in 0..1, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1 else None


def _provenance(path: Path) -> tuple[float, str]:
    facts = documents.read(path / layout.PROVENANCE) or {}
    return seconds_or_none(facts.get("seconds")) or 0.0, str(facts.get("run_id", ""))
