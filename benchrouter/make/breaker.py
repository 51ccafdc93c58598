"""The breaker: after failures in a row, admission pauses until what failed answers again, or patience ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

FAILURES = 5
PATIENCE = 600.0
_FIRST_PAUSE, _LONGEST_PAUSE = 2.0, 60.0


@dataclass
class Breaker:
    """Watches one thing that every job needs: a model's endpoint, or the engine.

    `probe` asks it once and returns "" when it is well, else what it said; it runs in a thread of its own.
    `say` tells the person. `patience` is how many seconds a pause lasts before the thing is given up.
    """

    subject: str
    probe: Callable[[], str]
    say: Callable[[str], None]
    wake: Callable[[], None]
    failures: int = FAILURES
    patience: float = PATIENCE
    clock: Callable[[], float] = time.monotonic
    given_up: str = ""
    _in_a_row: int = 0
    _paused_at: float | None = None
    _next_probe: float = 0.0
    _pause: float = _FIRST_PAUSE
    _probing: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def failed(self, detail: str) -> None:
        """Count a failure; the last of a row opens the breaker."""
        with self._lock:
            self._in_a_row += 1
            opens = self._in_a_row >= self.failures and self._paused_at is None and not self.given_up
            if opens:
                self._paused_at = self.clock()
                self._next_probe, self._pause = self._paused_at + _FIRST_PAUSE, _FIRST_PAUSE
        if opens:
            self.say(
                f"{self.subject}: {self._in_a_row} failures in a row ({detail}); "
                f"no new jobs for it until it answers again (given up after {self.patience:.0f} s)"
            )

    def worked(self) -> None:
        """Forget the row: it works."""
        with self._lock:
            self._in_a_row = 0
            self._close()

    def allows(self) -> bool:
        """Tell whether a job may start; a paused breaker asks again when it is time. A given-up one lets jobs end."""
        with self._lock:
            if self._paused_at is None:
                return True
            if self.clock() >= self._next_probe and not self._probing:
                self._probing = True
                threading.Thread(target=self._ask, name=f"probe {self.subject}", daemon=True).start()
            return False

    def _ask(self) -> None:
        said = self.probe()
        with self._lock:
            self._probing = False
            if self._paused_at is None:
                return
            if not said:
                self._in_a_row = 0
                self._close()
                message = f"{self.subject} answers again; going on"
            elif self.clock() - self._paused_at >= self.patience:
                self.given_up = said
                self._close()
                message = f"{self.subject} does not come back ({said}); its remaining jobs end without being started"
            else:
                self._pause = min(self._pause * 2, _LONGEST_PAUSE)
                self._next_probe = self.clock() + self._pause
                return
        self.say(message)
        self.wake()

    def _close(self) -> None:
        self._paused_at = None
