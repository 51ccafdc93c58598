"""A stream into a container through a FIFO: the first that opens it there reads what comes from us."""

from __future__ import annotations

import errno
import os
import select
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchrouter.engine.dind.preload import Source

_TICK = 0.05
_SIGHT = 0.2
_PATIENCE = 5.0


class Pipe:
    """Feeds one reader of a FIFO, then none any more; `fault` says what went wrong on our side."""

    def __init__(self, path: Path, source: Source) -> None:
        self.fault: Exception | None = None
        self._path = path
        self._source = source
        self._closed = threading.Event()

    def run(self) -> None:
        """Wait for the reader and feed it; never raises."""
        try:
            writing = self._opened()
            if writing is None:
                return
            try:
                self._feed(writing)
            finally:
                os.close(writing)
        except BrokenPipeError:
            return  # the reader has what it wanted, or says itself what is wrong
        except Exception as error:  # whatever an engine or an archive raises ends the stream too early
            self.fault = error

    def close(self) -> None:
        """Stop feeding."""
        self._closed.set()

    def _opened(self) -> int | None:
        while not self._closed.is_set():
            try:
                return os.open(self._path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
            except OSError as error:
                if error.errno != errno.ENXIO:  # nobody reads yet
                    raise
                self._closed.wait(_TICK)
        return None

    def _feed(self, writing: int) -> None:
        room = select.poll()
        room.register(writing, select.POLLOUT)
        for piece in self._source():
            rest = memoryview(piece)
            while rest:
                if self._closed.is_set():
                    return
                if room.poll(_SIGHT * 1000):
                    rest = rest[os.write(writing, rest) :]


@contextmanager
def piped(path: Path, source: Source) -> Iterator[Pipe]:
    """Make a FIFO that gives out `source` to one reader in a container, fed by a thread while the context lasts."""
    os.mkfifo(path, 0o600)
    path.chmod(0o666)  # the root of a container with users of its own is not ours
    pipe = Pipe(path, source)
    thread = threading.Thread(target=pipe.run, name="images", daemon=True)
    thread.start()
    try:
        yield pipe
    finally:
        pipe.close()
        thread.join(_PATIENCE)
