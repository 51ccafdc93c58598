"""Kernel locks on files (flock): they end with the process that holds them, however it ends.

Not the filelock package: a journal has to be locked before it becomes visible and to be probed with a shared
lock, and a silent fallback to marker files, which outlive a killed process, would break what callers rely on.
"""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

from benchrouter.store.problems import StoreError

_BUSY = {errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK}
_UNABLE = {errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK}


def try_flock(descriptor: int, *, shared: bool = False) -> bool:
    """Take the lock of an open file without waiting; tell whether it was free.

    Raise StoreError on a file system that has no kernel locks.
    """
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _BUSY:
            return False
        if error.errno in _UNABLE:
            raise StoreError(
                "the workspace lies on a file system without file locks (flock), so two invocations would "
                "collide; move it to a local disk"
            ) from error
        raise
    return True


def still_named(descriptor: int, path: Path) -> bool:
    """Tell whether `path` is still the file behind `descriptor`."""
    try:
        there = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(descriptor), there)
