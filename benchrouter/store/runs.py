"""Records of runs: `runs/<run-id>.json`, written whole, never changed by a later run, bounded in number."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchrouter.store import documents, layout
from benchrouter.store.atomic import make_dirs, write_atomic
from benchrouter.store.jobid import JobId
from benchrouter.store.states import JobState, Reason, RunState
from benchrouter.store.workspace import Workspace


@dataclass(frozen=True)
class RunJob:
    """What became of one job in a run; `adopted` means that another invocation ran it."""

    id: JobId
    key: str
    state: JobState
    reason: Reason | None = None
    overall: float | None = None
    seconds: float = 0.0
    adopted: bool = False


@dataclass(frozen=True)
class RunRecord:
    """One run; times in seconds since the epoch; `state` and `finished` are None while it is under way."""

    run_id: str
    argv: tuple[str, ...]
    variables: dict[str, str]
    models: tuple[str, ...]
    benchmarks: tuple[str, ...]
    started: float
    finished: float | None = None
    state: RunState | None = None
    jobs: tuple[RunJob, ...] = ()


def new_run_id() -> str:
    """Make a run id: sorts by time, valid as a label, file name and Docker name."""
    return time.strftime("%Y%m%dt%H%M%S", time.gmtime()) + "-" + secrets.token_hex(4)


def save(ws: Workspace, record: RunRecord, keep: int = 1000) -> Path:
    """Write the record of a run, and drop the oldest beyond `keep`."""
    path = layout.run_file(ws, record.run_id)
    make_dirs(path.parent)
    write_atomic(path, documents.to_table(_to_json(record), "jobs"))
    for old in _record_files(ws)[: -max(1, keep)]:
        old.unlink(missing_ok=True)
    return path


def load(ws: Workspace, run_id: str) -> RunRecord | None:
    """Read one record; None when it is missing or torn."""
    document = documents.read(layout.run_file(ws, run_id))
    record = _from_json(document) if document is not None else None
    return record if record is not None and record.run_id == run_id else None


def history(ws: Workspace) -> tuple[list[RunRecord], list[Path]]:
    """Read all records, oldest first, and name the torn files beside them; write nothing."""
    records, torn = [], []
    for path in _record_files(ws):
        record = load(ws, path.stem)
        if record is None:
            torn.append(path)
        else:
            records.append(record)
    return records, torn


def set_aside(ws: Workspace, torn: Iterable[Path]) -> list[Path]:
    """Move torn records to `runs/torn/`, where nothing reads them; return their new paths."""
    moved = []
    for path in torn:
        aside = ws.runs / "torn" / path.name
        aside.parent.mkdir(exist_ok=True)
        try:
            path.replace(aside)
        except FileNotFoundError:
            continue
        moved.append(aside)
    return moved


def _record_files(ws: Workspace) -> list[Path]:
    return sorted(path for path in ws.runs.glob("*.json") if not path.name.startswith("."))


def _to_json(record: RunRecord) -> dict[str, Any]:
    document = {**vars(record), "state": record.state.value if record.state else None}
    document["jobs"] = [
        {
            **vars(job.id),
            "key": job.key,
            "state": job.state.value,
            "reason": job.reason.word if job.reason else None,
            "overall": job.overall,
            "seconds": job.seconds,
            "adopted": job.adopted,
        }
        for job in record.jobs
    ]
    return document


def _from_json(document: dict[str, Any]) -> RunRecord | None:
    try:
        jobs = tuple(_job(job) for job in document["jobs"])
        state = document["state"]
        plain = {name: document[name] for name in ("run_id", "started", "finished")}
        return RunRecord(
            **plain,
            argv=tuple(document["argv"]),
            variables=dict(document["variables"]),
            models=tuple(document["models"]),
            benchmarks=tuple(document["benchmarks"]),
            state=RunState(state) if state is not None else None,
            jobs=jobs,
        )
    except (KeyError, TypeError, ValueError):
        return None


def _job(job: dict[str, Any]) -> RunJob:
    reason = job["reason"]
    return RunJob(
        JobId(job["benchmark"], job["task"], job["model"], job["repeat"]),
        job["key"],
        JobState(job["state"]),
        Reason.of(reason) if reason is not None else None,
        job["overall"],
        job["seconds"],
        job["adopted"],
    )
