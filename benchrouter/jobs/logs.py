"""Logs of a running job: redacted, capped on disk while it runs, head and tail kept, memory flat."""

from __future__ import annotations

import os
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from benchrouter.jobs.redact import Redactor
from benchrouter.jobs.ring import Ring, RingReader, ring_of
from benchrouter.jobs.terminal import printable

_BLOCK = 1 << 16


def _ignore(_: bytes) -> None:
    return


class CappedLog:
    """One log file of at most `limit` bytes (and a line on what was dropped): its first and its last half.

    The last half lives in a ring file beside the log until `close` puts the two together; `LogReader` reads both.
    """

    def __init__(self, path: Path, limit: int, redactor: Redactor) -> None:
        self._path = path
        self._half = max(1, limit // 2)
        self._stream = redactor.stream()
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        self._ring: Ring | None = None
        self._head = 0
        self._closed = False

    def write(self, data: bytes, shown: Callable[[bytes], None] = _ignore) -> None:
        """Take output as it comes; `shown` gets what of it is safe to show now, even when the disk is full."""
        if self._closed:
            return
        safe = self._stream.feed(data)
        shown(safe)
        self._store(safe)

    def close(self, shown: Callable[[bytes], None] = _ignore) -> None:
        """Finish the file; `shown` gets the bytes that were still held. Harmless when repeated."""
        if self._closed:
            return
        self._closed = True
        try:
            rest = self._stream.close()
            shown(rest)
            self._store(rest)
            if self._ring is not None:
                self._append_tail()
        finally:
            os.close(self._file)
            if self._ring is not None:
                self._ring.close()

    def _store(self, data: bytes) -> None:
        room = self._half - self._head
        if room > 0 and data:
            head, data = data[:room], data[room:]
            _write_all(self._file, head)
            self._head += len(head)
        if data:
            self._ring = self._ring or Ring(ring_of(self._path), self._half)
            self._ring.write(data)

    def _append_tail(self) -> None:
        reader = RingReader.open(ring_of(self._path))
        if reader is not None:
            try:
                while data := reader.read():
                    _write_all(self._file, data)
            finally:
                reader.close()


class LogReader:
    """Reads a log from its beginning, while it is written and after, its ring too; as text, pieces of any size."""

    def __init__(self, path: Path) -> None:
        """Open it; raise OSError."""
        self._path = path
        self._file = path.open("rb", buffering=0)
        self._ring: RingReader | None = None
        self._decoder = getincrementaldecoder("utf-8")("replace")

    def read(self) -> Iterator[str]:
        """Give what was added since the last time; what is gone by now is said in its place.

        The ring is opened before the file is read to its end: what is put together meanwhile is then read once.
        """
        if self._ring is None:
            self._ring = RingReader.open(ring_of(self._path))
            if self._ring is not None and self._file.tell() > self._ring.size:  # put together already
                self._ring.close()
                self._ring = None
        ring = self._ring
        while data := self._file.read(_BLOCK if ring is None else min(_BLOCK, ring.size - self._file.tell())):
            yield self._decoder.decode(data)
        while ring is not None and (data := ring.read()):
            yield self._decoder.decode(data)

    def close(self) -> None:
        """Let go of the files."""
        self._file.close()
        if self._ring is not None:
            self._ring.close()


class Tail:
    """The last output of both streams in the order of arrival, for people; a few KiB in memory."""

    def __init__(self, limit: int = 8192) -> None:
        self._limit = limit
        self._size = 0
        self._chunks: deque[bytes] = deque()

    def add(self, data: bytes) -> None:
        """Remember output that has been redacted."""
        data = data[-self._limit :]
        if not data:
            return
        self._chunks.append(data)
        self._size += len(data)
        while self._size - len(self._chunks[0]) >= self._limit:
            self._size -= len(self._chunks.popleft())

    def lines(self, count: int) -> str:
        """Join the last lines that say something, free of control characters."""
        text = b"".join(self._chunks)[-self._limit :].decode("utf-8", "replace")
        kept = [line for line in (printable(part) for part in text.splitlines()) if line.strip()]
        return "\n".join(kept[-count:])


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
