"""Attempts under way: which job each directory in `cache/attempts` belongs to, told by a note in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchrouter.store import documents, layout
from benchrouter.store.jobid import JobId
from benchrouter.store.journal import living
from benchrouter.store.workspace import Workspace

_NOTE = "attempt.json"


@dataclass(frozen=True)
class RunningAttempt:
    """An attempt of a living run; `since` in seconds since the epoch."""

    id: JobId
    key: str
    run_id: str
    directory: Path
    since: float


def note(directory: Path, id: JobId, key: str) -> None:
    """Write into an attempt's directory whose it is."""
    (directory / _NOTE).write_bytes(documents.to_bytes({**vars(id), "key": key}))


def running(ws: Workspace) -> Iterator[RunningAttempt]:
    """List the attempts of living runs; one that ends meanwhile is left out."""
    for owner in living(ws):
        for path in sorted(layout.attempts_dir(ws, owner.run_id).glob(f"*/{_NOTE}")):
            facts = documents.read(path)
            try:
                since = path.stat().st_mtime
                if facts is not None:
                    id = JobId(facts["benchmark"], facts["task"], facts["model"], facts["repeat"])
                    yield RunningAttempt(id, facts["key"], owner.run_id, path.parent, since)
            except (OSError, KeyError):
                continue
