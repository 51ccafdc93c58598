"""Making the next blocks of a stream while the last ones are being sent."""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator, Iterator

_AHEAD = 4
_TICK = 0.2
_END = object()


def made_ahead(blocks: Iterator[bytes]) -> Generator[bytes, None, None]:
    """Yield the same blocks, made in a thread of their own; what it raises is raised here.

    When the reader goes, the thread ends with the block at hand, and its resources with it.
    """
    ready: queue.Queue[object] = queue.Queue(maxsize=_AHEAD)
    gone = threading.Event()

    def put(item: object) -> None:
        while not gone.is_set():
            try:
                ready.put(item, timeout=_TICK)
                return
            except queue.Full:
                continue

    def make() -> None:
        try:
            for block in blocks:
                put(block)
                if gone.is_set():
                    return
            put(_END)
        except BaseException as error:  # handed over, and raised where the reader sees it
            put(error)

    threading.Thread(target=make, name="archive-ahead", daemon=True).start()
    try:
        while (item := ready.get()) is not _END:
            if isinstance(item, BaseException):
                raise item
            assert isinstance(item, bytes)
            yield item
    finally:
        gone.set()
