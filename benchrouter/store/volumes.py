"""Who uses a data volume: many readers or one writer, on this machine, whatever workspace they belong to."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from benchrouter.store.flock import try_flock
from benchrouter.store.problems import StoreError


def try_volumes(volumes: Iterable[tuple[Path, bool]]) -> ExitStack | None:
    """Take all of some directories, given with whether they are written to; None when one is in use.

    All or none, so that two jobs never wait for each other. Closing the stack lets go of them. Raise OSError for one
    that cannot be opened, StoreError for one to write to on a file system without kernel locks.
    """
    with ExitStack() as held:
        for path, writable in volumes:
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            held.callback(os.close, descriptor)
            if not _take(path, descriptor, writable):
                return None
        return held.pop_all()
    return None


def _take(path: Path, descriptor: int, writable: bool) -> bool:
    try:
        return try_flock(descriptor, shared=not writable)
    except StoreError:
        if not writable:
            return True  # where nobody can lock, nobody of ours writes
        message = f"{path} lies on a file system without file locks (flock), so two jobs could write to it at once"
        raise StoreError(message) from None
