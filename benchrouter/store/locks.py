"""One lock per key: whoever holds it makes what the key names; the others wait and adopt what came of it.

The file of a lock is removed by its holder, while it holds the lock. A waiter that then gets the lock of the
removed file sees that the name no longer leads to it, and starts over; so no two processes hold one key, and
no file stays. A killed holder leaves its file, unlocked; the next holder, or `remove_free`, takes it away.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from benchrouter.store import layout
from benchrouter.store.flock import still_named, try_flock
from benchrouter.store.problems import StoreError
from benchrouter.store.workspace import Workspace

_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 0.1


@dataclass
class Lock:
    """A held lock; `release` it, or use it as a context manager."""

    path: Path
    descriptor: int

    def release(self) -> None:
        """Remove the file, then let go: in this order, or a waiter could hold a file that we then remove."""
        if self.descriptor < 0:
            return
        try:
            if still_named(self.descriptor, self.path):  # not so when somebody emptied cache/ under us
                self.path.unlink(missing_ok=True)
        finally:
            os.close(self.descriptor)
            self.descriptor = -1

    def __enter__(self) -> Lock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def try_lock(ws: Workspace, key: str) -> Lock | None:
    """Take the lock of a key if nobody holds it."""
    path = layout.lock_file(ws, key)
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            continue
        except PermissionError as error:
            raise StoreError(
                f"{path}: not yours to lock; is the workspace used by another user too?"
            ) from error
        try:
            taken = try_flock(descriptor)
            if taken and still_named(descriptor, path):
                return Lock(path, descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        if not taken:
            return None


def lock(
    ws: Workspace, key: str, *, timeout: float | None = None, cancelled: threading.Event | None = None
) -> Lock | None:
    """Wait for the lock of a key; None after `timeout` seconds (None: no limit) or once cancelled."""
    deadline = None if timeout is None else time.monotonic() + timeout
    stop = cancelled or threading.Event()
    pause = _FIRST_PAUSE
    while not stop.is_set():
        held = try_lock(ws, key)
        if held is not None:
            return held
        if deadline is not None and time.monotonic() >= deadline:
            return None
        stop.wait(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)
    return None


def remove_free(ws: Workspace) -> int:
    """Remove the files of locks that nobody holds (left by killed processes); return how many."""
    removed = 0
    for path in sorted(layout.lock_file(ws, "x").parent.glob("*.lock")):
        held = try_lock(ws, path.stem)
        if held is not None:
            held.release()
            removed += 1
    return removed
