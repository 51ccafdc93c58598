"""When a running container has to be stopped, and by which signal: timeout, cancellation, the watcher."""

from __future__ import annotations

import threading
from collections.abc import Callable

from benchrouter.engine import deadlines
from benchrouter.engine.errors import EngineError


class Stopping:
    """Decide on each tick which signal is due: TERM, after a grace KILL, and at last an error."""

    def __init__(
        self, timeout: float, grace: float, cancelled: threading.Event, watch: Callable[[], str | None]
    ) -> None:
        self._timeout = timeout
        self._grace = grace
        self._cancelled = cancelled
        self._watch = watch
        self._ends_at = float("inf")
        self._kill_at: float | None = None
        self._killed_at: float | None = None
        self.timed_out = False
        self.was_cancelled = False
        self.watched: str | None = None

    @property
    def stopped(self) -> bool:
        """Tell whether we sent any signal."""
        return self._kill_at is not None

    def started(self, now: float) -> None:
        """Begin to count the timeout."""
        self._ends_at = now + self._timeout

    def due(self, now: float) -> str | None:
        """Name the signal to send now, if any; raise EngineError when KILL did not end the container."""
        if self._kill_at is None:
            return self._first_signal(now)
        if self._killed_at is None:
            if not self.was_cancelled and self._cancelled.is_set():
                self._kill_at = min(self._kill_at, now + deadlines.CANCEL_GRACE)
                self.was_cancelled = not self.timed_out
            if now >= self._kill_at:
                self._killed_at = now
                return "KILL"
        elif now - self._killed_at > deadlines.STOP_CHECK:
            raise EngineError(f"a container did not end within {deadlines.STOP_CHECK:.0f} s of KILL")
        return None

    def _first_signal(self, now: float) -> str | None:
        grace = self._grace
        if self._cancelled.is_set():
            self.was_cancelled = True
            grace = min(grace, deadlines.CANCEL_GRACE)
        elif now >= self._ends_at:
            self.timed_out = True
        else:
            self.watched = self._watch()
            if self.watched is None:
                return None
        self._kill_at = now + grace
        return "TERM"
