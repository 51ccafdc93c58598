"""Failed attempts: kept with their logs in `failed/<n>/`, bounded, adopted by who waited for them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchrouter.store import layout
from benchrouter.store.artifact import FailedAttempt, read_failure
from benchrouter.store.atomic import make_dirs, move_dir, remove_dir, sync, sync_tree
from benchrouter.store.jobid import JobId
from benchrouter.store.problems import StoreError
from benchrouter.store.workspace import Workspace

_OCCUPIED = {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}


def record_failure(
    ws: Workspace, id: JobId, key: str, staging: Path, keep: int = 5, *, durable: bool = True
) -> FailedAttempt:
    """Move a failed attempt to `failed/<n>/`, the next number; keep the newest `keep` of each repeat.

    Raise StoreError when the staging directory does not hold what `write_documents` writes for this job.
    """
    made = read_failure(staging)
    if made is None or (made.id, made.key) != (id, key):
        raise StoreError(f"{staging}: not a failed attempt at {id} with key {key}; nothing was recorded")
    if durable:
        sync_tree(staging)
    directory = layout.failed_dir(ws, id)
    make_dirs(directory, durable=durable)
    path = _move_to_next_number(staging, directory)
    if durable:
        sync(directory)
    _prune(directory, max(1, keep))
    return replace(made, n=int(path.name), path=str(path))


def last_failure(ws: Workspace, id: JobId, key: str | None = None) -> FailedAttempt | None:
    """Find the newest failed attempt at a job, with `key` at exactly that key."""
    for attempt in _newest_first(layout.failed_dir(ws, id)):
        if attempt.id == id and key in (None, attempt.key):
            return attempt
    return None


def _move_to_next_number(staging: Path, directory: Path) -> Path:
    number = max(_numbers(directory), default=0) + 1
    while True:
        path = directory / str(number)
        try:
            move_dir(staging, path)  # attempts are never empty, so a rename never replaces one
            return path
        except OSError as error:
            if error.errno not in _OCCUPIED:
                raise
            number += 1


def _prune(directory: Path, keep: int) -> None:
    kept: dict[int | None, int] = {}
    for number in sorted(_numbers(directory), reverse=True):
        attempt = read_failure(directory / str(number))
        repeat = attempt.id.repeat if attempt is not None else None  # torn ones are a group of their own
        kept[repeat] = kept.get(repeat, 0) + 1
        if kept[repeat] > keep:
            remove_dir(directory / str(number))


def _newest_first(directory: Path) -> Iterator[FailedAttempt]:
    for number in sorted(_numbers(directory), reverse=True):
        attempt = read_failure(directory / str(number))
        if attempt is not None:
            yield attempt


def _numbers(directory: Path) -> list[int]:
    try:
        return [int(name) for name in os.listdir(directory) if name.isdecimal()]
    except (FileNotFoundError, NotADirectoryError):
        return []
