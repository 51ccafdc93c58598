"""Fill a workspace with completed jobs, through the path that every real job takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from benchrouter.store import layout, results, stale
from benchrouter.store.jobid import JobId
from benchrouter.store.runs import new_run_id
from benchrouter.store.states import JobState, Outcome
from benchrouter.store.workspace import Workspace


@dataclass(frozen=True)
class SeedJob:
    """One job to be written as completed."""

    id: JobId
    key: str
    overall: float = 1.0
    inputs: dict[str, Any] = field(default_factory=dict)
    items: int = 0


def seed_completed(
    ws: Workspace, jobs: Iterable[SeedJob], *, durable: bool = False, seconds: float = 1.0
) -> int:
    """Publish every given job as completed, with a small output and logs; return how many were new.

    `durable=False` leaves out the fsyncs: for workspaces that are made to be measured.
    """
    ws.ensure()
    run_id = new_run_id()
    published = 0
    for job in jobs:
        target = layout.job_dir(ws, job.id, job.key)
        if not target.exists():
            published += 1
        _publish(ws, run_id, job, durable, seconds)
    stale.remove_attempts(ws, run_id)
    return published


def _publish(ws: Workspace, run_id: str, job: SeedJob, durable: bool, seconds: float) -> None:
    staging = layout.fresh_attempt(ws, run_id)
    raw: dict[str, Any] = {"overall": job.overall}
    if job.items:
        raw["items"] = [{"id": f"item-{number}", "score": job.overall} for number in range(job.items)]
    (staging / layout.OUTPUT).mkdir()
    (staging / layout.OUTPUT / "result.json").write_text(f'{{"overall": {job.overall}}}\n')
    (staging / layout.LOGS).mkdir()
    for stream in ("stdout", "stderr"):
        (staging / layout.LOGS / f"{stream}.log").touch()
    outcome = Outcome(JobState.COMPLETED, overall=job.overall, seconds=seconds)
    results.write_documents(
        staging, job.id, job.key, outcome, inputs=job.inputs, provenance={}, run_id=run_id, raw_metrics=raw
    )
    results.publish(ws, job.id, job.key, staging, durable=durable)
