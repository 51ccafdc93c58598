"""Artifacts on disk, the truth for "up to date": the front door to what this floor knows about jobs."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from benchrouter.store import layout
from benchrouter.store.artifact import (
    CompletedJob,
    FailedAttempt,
    read_completed,
    read_failure,
    read_job,
    write_documents,
)
from benchrouter.store.atomic import publish_dir
from benchrouter.store.failures import last_failure, record_failure
from benchrouter.store.history import newest_other, superseded
from benchrouter.store.jobid import JobId
from benchrouter.store.problems import StoreError
from benchrouter.store.verified import completed
from benchrouter.store.workspace import Workspace

__all__ = [
    "CompletedJob",
    "FailedAttempt",
    "completed",
    "find",
    "last_failure",
    "newest_other",
    "publish",
    "read_failure",
    "read_job",
    "record_failure",
    "superseded",
    "write_documents",
]


def find(ws: Workspace, id: JobId, key: str) -> CompletedJob | None:
    """Look up one completed job by reading its documents; None when it is not there, torn or another's."""
    found = read_job(layout.job_dir(ws, id, key))
    return found if found is not None and found.id == id else None


def publish(
    ws: Workspace, id: JobId, key: str, staging: Path, *, replace: bool = False, durable: bool = True
) -> CompletedJob:
    """Publish a completed attempt by one rename; the caller holds the key's lock.

    An artifact that is already there and valid is kept and returned, unless `replace` is set. Raise
    StoreError when the staging directory does not hold what `write_documents` writes for this job; nothing
    appears then.
    """
    made = read_completed(staging)
    if made is None or (made.id, made.key) != (id, key):
        raise StoreError(f"{staging}: not the artifact of {id} with key {key}; nothing was published")
    target = layout.job_dir(ws, id, key)

    def valid(path: Path) -> bool:
        there = read_completed(path)
        return there is not None and (there.id, there.key) == (id, key)

    if publish_dir(staging, target, valid=valid, replace=replace, durable=durable):
        return dataclasses.replace(made, path=str(target))
    found = find(ws, id, key)
    if found is None:
        raise StoreError(f"{target}: changed while it was being read; run again")
    return found
