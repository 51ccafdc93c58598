"""Signals that mean "end", and a terminal or pipe that goes away: neither may break a run in the middle."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable
from errno import EBADF, EPIPE
from io import TextIOWrapper
from typing import Any, TextIO

from benchrouter.jobs.terminal import harmless
from benchrouter.make.voice import complain

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def end_like_ctrl_c() -> None:
    """Until a run lives there is nothing to stop in order: let TERM and HUP end the command as Ctrl-C does."""

    def handle(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    for number in SIGNALS:
        _catch(number, handle)


def stop_in_order(interrupt: Callable[[], None]) -> None:
    """From now on and to the end of the process, let these signals call `interrupt`, once, from a thread.

    A handler runs between any two steps of the main thread, also while that holds a lock or prints, and not at all
    while that waits and the system has given the signal to another thread. What arrives in any case, whatever the
    main thread does, is the byte that Python writes for a signal.
    """
    caught, arrives = os.pipe()
    os.set_blocking(arrives, False)

    def act() -> None:
        number = 0
        while number not in SIGNALS:
            number = os.read(caught, 1)[0]
        interrupt()
        word = signal.Signals(number).name
        print(f"{word}: stopping; containers are being removed", file=sys.stderr, flush=True)

    threading.Thread(target=act, name="signals", daemon=True).start()
    if threading.current_thread() is threading.main_thread():
        signal.set_wakeup_fd(arrives, warn_on_full_buffer=False)
    for number in SIGNALS:
        _catch(number, lambda _number, _frame: None)


def _catch(number: signal.Signals, handler: Callable[[int, Any], None]) -> None:
    if threading.current_thread() is not threading.main_thread():
        return
    # nohup lets HUP be ignored. A script's shell does that with INT for what it starts in the background, where
    # nobody can press Ctrl-C: an INT that arrives there was sent on purpose.
    if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
        return
    signal.signal(number, handler)


class LastingStream:
    """A stream for text that outlives its reader: when that is gone, what is written goes nowhere.

    All text of ours goes through one, and names and messages of others in it: what a terminal would act on is left
    out. `as_is` takes text that is colour or data, and harmless where it is made. `lost` says why what was written
    could not be, unless simply nobody reads any more.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream or _nowhere()
        self.lost = ""

    def write(self, text: str) -> int:
        """Write what only shows, or give the stream up."""
        self.pass_on(harmless(text))
        return len(text)

    def pass_on(self, text: str) -> int:
        """Write all of it, or give the stream up."""
        try:
            return self._stream.write(text)
        except (OSError, ValueError) as error:
            self._give_up(error)
            return len(text)

    def flush(self) -> None:
        """Flush, or give the stream up."""
        try:
            self._stream.flush()
        except (OSError, ValueError) as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        lost, self._stream = self._stream, _nowhere()
        try:
            # what is still buffered must not raise again at exit
            os.dup2(self._stream.fileno(), lost.fileno())
        except (OSError, ValueError):
            pass
        if isinstance(error, OSError) and error.errno not in (EPIPE, EBADF):
            self.lost = error.strerror or str(error)
            complain(f"the output cannot be written: {self.lost}")

    @property
    def as_is(self) -> _AsIs:
        """Give the stream for text whose escapes are ours."""
        return _AsIs(self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _AsIs:
    """The same stream, whose text is passed on."""

    def __init__(self, stream: LastingStream) -> None:
        self.write = stream.pass_on
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def as_is(stream: Any) -> TextIO:
    """Give a stream for text whose escapes are ours: of one that leaves them out its `as_is`, any other itself."""
    found: TextIO = getattr(stream, "as_is", stream)
    return found


def outlast_readers() -> None:
    """From now on let stdout and stderr lose their reader, or be closed already, without a traceback."""
    low = os.open(os.devnull, os.O_RDWR)
    while low <= 2:  # else a journal or a lock would get the number of a closed stream
        os.set_inheritable(low, True)
        low = os.open(os.devnull, os.O_RDWR)
    os.close(low)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, LastingStream):
            if isinstance(stream, TextIOWrapper):  # what a locale cannot write is no reason to lose the rest
                stream.reconfigure(errors="backslashreplace")
            lasting = LastingStream(stream)
            setattr(sys, name, lasting)
            atexit.register(lasting.flush)


def output_is_lost() -> bool:
    """Tell whether something was printed that could not be written, though somebody may have waited for it."""
    sys.stdout.flush()
    return bool(getattr(sys.stdout, "lost", ""))


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")
