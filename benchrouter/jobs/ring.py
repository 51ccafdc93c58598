"""The last bytes of a log that grew beyond its half: a ring in a file, which others may read while it is written."""

from __future__ import annotations

import os
import struct
from pathlib import Path

SUFFIX = ".tail"
LINE_SEARCH = 4096
_HEAD = struct.Struct("<QQQ")
_BLOCK = 1 << 16


def ring_of(log: Path) -> Path:
    """Say where the ring of a log lies while the log is written."""
    return log.with_name(log.name + SUFFIX)


def dropped(count: int) -> bytes:
    """Say in a log where how much of it is gone."""
    return f"\n[benchrouter: {count} bytes of this log were dropped here]\n".encode()


class Ring:
    """Keeps the last `size` bytes of what is written, in as much space and a head of three numbers.

    The head says how far writing may have come, how far it has, and the size: who reads a piece and then finds that
    writing may have come round to it knows that it was overwritten.
    """

    def __init__(self, path: Path, size: int) -> None:
        self._path = path
        self._size = size
        self._count = 0
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        self._tell(0)

    def write(self, data: bytes) -> None:
        """Add data; raise OSError, and lose nothing that was added before but what is overwritten."""
        count = self._count + len(data)
        self._tell(count)
        data = data[-self._size :]
        self._count = count - len(data)
        while data:
            offset = self._count % self._size
            written = os.pwrite(self._file, data[: self._size - offset], _HEAD.size + offset)
            self._count += written
            data = data[written:]
        self._tell(count)

    def close(self) -> None:
        """Remove the file; who has opened it can go on reading."""
        os.close(self._file)
        self._path.unlink(missing_ok=True)

    def _tell(self, may: int) -> None:
        os.pwrite(self._file, _HEAD.pack(may, self._count, self._size), 0)


class RingReader:
    """Reads a ring from its first byte on, perhaps while it is written; what was overwritten before is said."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._position = 0

    @classmethod
    def open(cls, path: Path) -> RingReader | None:
        """Open a ring; None where there is none, or none yet."""
        try:
            found = cls(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
        except FileNotFoundError:
            return None
        if found._head() is None:
            found.close()
            return None
        return found

    @property
    def size(self) -> int:
        """Give the size, which is that of the log's first half, too."""
        head = self._head()
        return head[2] if head else 0

    def read(self) -> bytes:
        """Read a piece, after a word on what is gone if something is; nothing where it is at the end."""
        while True:
            head = self._head()
            if head is None or self._position >= head[1]:
                return b""
            gone = self._gone()
            if gone:
                return self._skip(gone)
            _, count, size = head
            offset = self._position % size
            most = min(_BLOCK, count - self._position, size - offset)
            data = os.pread(self._file, most, _HEAD.size + offset)
            if not self._gone():
                self._position += len(data)
                return data

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)

    def _head(self) -> tuple[int, int, int] | None:
        data = os.pread(self._file, _HEAD.size, 0)
        return _HEAD.unpack(data) if len(data) == _HEAD.size else None

    def _gone(self) -> int:
        """Count the bytes from here on that are overwritten, or may be at this moment."""
        head = self._head()
        return max(0, head[0] - head[2] - self._position) if head else 0

    def _skip(self, gone: int) -> bytes:
        """Go to the beginning of a line behind what is gone, if there is one nearby."""
        self._position += gone
        head = self._head()
        assert head is not None
        size = head[2]
        offset = self._position % size
        first = os.pread(self._file, min(LINE_SEARCH, size - offset), _HEAD.size + offset)
        broken = first.find(b"\n") + 1
        self._position += broken
        return dropped(gone + broken)
