"""Logs of a running job: redacted, capped on disk while it runs, head and tail kept, memory flat."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable
from pathlib import Path

from benchrouter.jobs.redact import Redactor

LINE_SEARCH = 4096
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")


def _ignore(_: bytes) -> None:
    return


class CappedLog:
    """One log file of at most `limit` bytes (and a line on what was dropped): its first and its last half.

    The last half lives in a ring file beside the log until `close` puts the two together.
    """

    def __init__(self, path: Path, limit: int, redactor: Redactor) -> None:
        self._path = path
        self._ring_path = path.with_name(path.name + ".tail")
        self._half = max(1, limit // 2)
        self._stream = redactor.stream()
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        self._ring: int | None = None
        self._head = 0
        self._beyond = 0
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
                self._append_tail(self._ring)
        finally:
            os.close(self._file)
            if self._ring is not None:
                os.close(self._ring)
                self._ring_path.unlink(missing_ok=True)

    def _store(self, data: bytes) -> None:
        room = self._half - self._head
        if room > 0 and data:
            head, data = data[:room], data[room:]
            _write_all(self._file, head)
            self._head += len(head)
        if data:
            self._store_in_ring(data)

    def _store_in_ring(self, data: bytes) -> None:
        if self._ring is None:
            flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
            self._ring = os.open(self._ring_path, flags, 0o600)
        skipped = max(0, len(data) - self._half)
        self._beyond += skipped
        data = data[skipped:]
        while data:
            offset = self._beyond % self._half
            written = os.pwrite(self._ring, data[: self._half - offset], offset)
            self._beyond += written
            data = data[written:]

    def _append_tail(self, ring: int) -> None:
        size = min(self._beyond, self._half)
        start = self._beyond % self._half if self._beyond > self._half else 0
        dropped = self._beyond - size
        skip = self._to_line_start(ring, start, size) if dropped else 0
        if dropped:
            notice = f"\n[benchrouter: {dropped + skip} bytes of this log were dropped here]\n"
            _write_all(self._file, notice.encode())
        position = skip
        while position < size:
            offset = (start + position) % self._half
            piece = os.pread(ring, min(1 << 20, self._half - offset, size - position), offset)
            if not piece:
                break
            _write_all(self._file, piece)
            position += len(piece)

    def _to_line_start(self, ring: int, start: int, size: int) -> int:
        """Count the bytes of the broken line with which the tail begins; 0 if no line ends nearby."""
        first = os.pread(ring, min(LINE_SEARCH, self._half - start, size), start)
        return first.find(b"\n") + 1


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


def printable(line: str) -> str:
    """Drop what a terminal would act on: output of a task is untrusted."""
    plain = _ESCAPE.sub("", line)
    return "".join(char for char in plain if char.isprintable() or char == "\t").rstrip()


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
