"""Signals that mean "end", and a terminal or pipe that goes away: neither may break a run in the middle."""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def end_like_ctrl_c() -> None:
    """Until a run lives there is nothing to stop in order: let TERM and HUP end the command as Ctrl-C does."""

    def handle(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    for number in SIGNALS:
        _catch(number, handle)


def stop_in_order(interrupt: Callable[[], None]) -> None:
    """From now on and to the end of the process, let these signals call `interrupt`, once, from a thread.

    A handler runs between any two steps of the main thread, also while that holds a lock or prints, and inside
    another handler: ours only hands the number over, by the one means that is safe there.
    """
    caught: queue.SimpleQueue[int] = queue.SimpleQueue()

    def act() -> None:
        number = caught.get()
        interrupt()
        word = signal.Signals(number).name
        print(f"{word}: stopping; containers are being removed", file=sys.stderr, flush=True)

    threading.Thread(target=act, name="signals", daemon=True).start()
    for number in SIGNALS:
        _catch(number, lambda number, _frame: caught.put(number))


def _catch(number: signal.Signals, handler: Callable[[int, Any], None]) -> None:
    if threading.current_thread() is not threading.main_thread():
        return
    # nohup lets HUP be ignored. A script's shell does that with INT for what it starts in the background, where
    # nobody can press Ctrl-C: an INT that arrives there was sent on purpose.
    if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
        return
    signal.signal(number, handler)


class LastingStream:
    """A stream for text that outlives its reader: when that is gone, what is written goes nowhere."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream or _nowhere()

    def write(self, text: str) -> int:
        """Write, or give the stream up."""
        try:
            return self._stream.write(text)
        except (OSError, ValueError):
            self._give_up()
            return len(text)

    def flush(self) -> None:
        """Flush, or give the stream up."""
        try:
            self._stream.flush()
        except (OSError, ValueError):
            self._give_up()

    def _give_up(self) -> None:
        lost, self._stream = self._stream, _nowhere()
        try:
            # what is still buffered must not raise again at exit
            os.dup2(self._stream.fileno(), lost.fileno())
        except (OSError, ValueError):
            pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def lasting_streams() -> Iterator[None]:
    """Let stdout and stderr lose their reader, or be closed from the start, without ending the run."""
    low = os.open(os.devnull, os.O_RDWR)
    while low <= 2:  # else a journal or a lock would get the number of a closed stream
        os.set_inheritable(low, True)
        low = os.open(os.devnull, os.O_RDWR)
    os.close(low)
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, LastingStream(stream)) for stream in before)
    try:
        yield
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        sys.stdout, sys.stderr = before


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")
