"""Artifacts of earlier keys: what explain compares with, and what `clean stale=1` removes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchrouter.store import documents, layout
from benchrouter.store.artifact import CompletedJob, read_job
from benchrouter.store.jobid import JobId
from benchrouter.store.workspace import Workspace


@dataclass(frozen=True)
class EarlierJob:
    """A completed job under another key, with the inputs that made that key."""

    job: CompletedJob
    inputs: dict[str, Any]


def newest_other(ws: Workspace, id: JobId, key: str) -> EarlierJob | None:
    """Find the most recent completed artifact of a job under another key than `key`."""
    return next(others(ws, id, key), None)


def others(ws: Workspace, id: JobId, key: str) -> Iterator[EarlierJob]:
    """Read a job's completed artifacts under other keys than `key`, the most recent first."""
    paths = [path for path in _artifacts(layout.task_dir(ws, id)) if path.name != key]
    for path in sorted(paths, key=_age, reverse=True):
        found = read_job(path)
        if found is not None and found.id == id:
            inputs = (documents.read(path / layout.JOB) or {}).get("inputs")
            yield EarlierJob(found, inputs if isinstance(inputs, dict) else {})


def superseded(
    ws: Workspace,
    id: JobId,
    current: Mapping[JobId, Set[str]],
    of_this_ask: Callable[[JobId, Mapping[str, Any]], bool] = lambda *_: True,
) -> list[Path]:
    """List the artifacts of a job's task, of all repeats, whose key is none of their repeat's, and torn ones.

    Of repeats that are not in `current` no key is known. `of_this_ask` looks at what made an artifact: one that was
    asked for with other variables is not superseded.
    """
    listed, keys = [], {key for known in current.values() for key in known}
    for path in _artifacts(layout.task_dir(ws, id)):
        if path.name in keys:
            continue
        found = read_job(path)
        if found is None or (found.id in current and of_this_ask(found.id, _inputs(path))):
            listed.append(path)
    return listed


def repeats(ws: Workspace, id: JobId) -> int:
    """Count the repeats of a job's task up to the last one of which there is an artifact."""
    found = [read_job(path) for path in _artifacts(layout.task_dir(ws, id))]
    return max((job.id.repeat + 1 for job in found if job is not None), default=0)


def _inputs(path: Path) -> dict[str, Any]:
    inputs = (documents.read(path / layout.JOB) or {}).get("inputs")
    return inputs if isinstance(inputs, dict) else {}


def _artifacts(directory: Path) -> Iterator[Path]:
    try:
        names = sorted(os.listdir(directory))
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in names:
        if name != "failed" and not name.startswith(".") and (directory / name).is_dir():
            yield directory / name


def _age(path: Path) -> int:
    """Order artifacts by when they were written; only explain's choice hangs on it."""
    try:
        return os.stat(path / layout.JOB).st_mtime_ns
    except OSError:
        return 0
