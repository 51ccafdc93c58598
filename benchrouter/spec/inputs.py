"""Reading a file that a person supplied: whatever stands under its name, the answer is its bytes or one clear error."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

LARGEST = 4 << 20
# A FIFO is opened without waiting for its other end; a terminal does not become ours.
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_KINDS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a directory",
}


def is_there(path: str | Path) -> bool:
    """Tell whether anything has this name, whatever it is: what cannot be read is an error later, never overlooked."""
    return os.path.lexists(path)


def read_input(path: str | Path, most: int = LARGEST) -> bytes:
    """Read a regular file of at most `most` bytes, links followed.

    Raise OSError whose `strerror` says in words what is wrong: FileNotFoundError, IsADirectoryError and others.
    """
    _refuse_odd(os.stat(path), path)  # not even opened: opening a device can do things
    descriptor = os.open(path, _FLAGS)
    try:
        status = os.fstat(descriptor)
        _refuse_odd(status, path)
        if status.st_size > most:
            raise _too_large(f"{status.st_size} bytes", path, most)
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(most + 1)
    finally:
        os.close(descriptor)
    if len(data) > most:
        raise _too_large(f"more than {most} bytes", path, most)
    return data


def _refuse_odd(status: os.stat_result, path: str | Path) -> None:
    if not stat.S_ISREG(status.st_mode):
        number = errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise OSError(number, f"{kind}, expected a regular file", os.fspath(path))


def _too_large(found: str, path: str | Path, most: int) -> OSError:
    return OSError(errno.EFBIG, f"{found}, at most {most} are read", os.fspath(path))
