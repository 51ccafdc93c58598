"""Which jobs are completed, for thousands at once: a document that was read before is not read again.

Per benchmark and model a cache holds, per artifact, the stat signature of its two documents and what they
said. A signature that differs in anything is a reason to read. A document that was written within two seconds
of the reading is read again the next time: a later change could have left the same signature.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchrouter.store import documents, layout
from benchrouter.store.artifact import CompletedJob, read_job
from benchrouter.store.atomic import write_atomic
from benchrouter.store.items import ItemCounts
from benchrouter.store.jobid import JobId
from benchrouter.store.workspace import Workspace

_FORMAT = 2
_RACY_NS = 2_000_000_000

# [repeat, (mtime, ctime, size, inode) of job.json, the same of result.json, overall, seconds, warnings,
#  [judged, selected] items or None]
Entry = list[Any]


def completed(
    ws: Workspace, pairs: Iterable[tuple[JobId, str]], *, remember: bool = False
) -> dict[JobId, CompletedJob]:
    """Find which jobs are completed under the given keys; `remember` lets it write the cache."""
    groups: dict[tuple[str, str], list[tuple[JobId, str]]] = {}
    for pair in pairs:
        id = pair[0]
        groups.setdefault((id.benchmark, id.model), []).append(pair)
    found: dict[JobId, CompletedJob] = {}
    for (benchmark, model), wanted in groups.items():
        directory = str(layout.model_dir(ws, benchmark, model))
        cache_file = layout.verified_file(ws, benchmark, model)
        known = _load(cache_file)
        fresh = _look(directory, wanted, known, found)
        if remember and fresh:
            _save(cache_file, known, fresh, wanted)
    return found


def _look(
    directory: str,
    wanted: list[tuple[JobId, str]],
    known: dict[str, dict[str, Entry]],
    found: dict[JobId, CompletedJob],
) -> dict[str, dict[str, Entry]]:
    """Add what is completed to `found`; return the entries that are new and may be trusted the next time."""
    stat, none = os.stat, {}  # type: ignore[var-annotated]
    fresh: dict[str, dict[str, Entry]] = {}
    for id, key in wanted:
        path = f"{directory}/{id.task}/{key}"
        try:
            job, result = stat(path + "/job.json"), stat(path + "/result.json")
        except OSError:
            continue
        entry = known.get(id.task, none).get(key)
        signature = [id.repeat, *_signature(job), *_signature(result)]
        if entry is not None and entry[:9] == signature:
            items = ItemCounts(*entry[12]) if entry[12] else None
            found[id] = CompletedJob(id, key, entry[9], entry[10], tuple(entry[11]), path, items)
            continue
        now = time.time_ns()
        read = read_job(Path(path))
        if read is None or read.id != id:
            continue
        found[id] = read
        if max(job.st_ctime_ns, result.st_ctime_ns) < now - _RACY_NS:
            counts = [read.items.judged, read.items.selected] if read.items else None
            said = [read.overall, read.seconds, list(read.warnings), counts]
            fresh.setdefault(id.task, {})[key] = [*signature, *said]
    return fresh


def _signature(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


def _load(path: Path) -> dict[str, dict[str, Entry]]:
    document = documents.read(path)
    if document is None or document.get("format") != _FORMAT:
        return {}
    tasks = document.get("tasks")
    return tasks if isinstance(tasks, dict) and all(map(_sound, tasks.values())) else {}


def _sound(entries: object) -> bool:
    return isinstance(entries, dict) and all(type(e) is list and len(e) == 13 for e in entries.values())


def _save(
    path: Path,
    known: dict[str, dict[str, Entry]],
    fresh: dict[str, dict[str, Entry]],
    wanted: list[tuple[JobId, str]],
) -> None:
    """Merge and write; of a task that was asked for, only the keys that were asked for stay (the bound)."""
    asked: dict[str, set[str]] = {}
    for id, key in wanted:
        asked.setdefault(id.task, set()).add(key)
    merged = {}
    for task in known.keys() | fresh.keys():
        entries = {**known.get(task, {}), **fresh.get(task, {})}
        merged[task] = {key: entry for key, entry in entries.items() if key in asked.get(task, entries)}
    data = json.dumps({"format": _FORMAT, "tasks": merged}, separators=(",", ":")).encode("ascii")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data, durable=False)
    except OSError:
        pass  # a cache: a full or read-only disk costs time, not the answer
