"""The breaker: after failures in a row, admission pauses until what failed answers again, or patience ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

FAILURES = 5
PATIENCE = 600.0
_FIRST_PAUSE, _LONGEST_PAUSE = 2.0, 60.0
_FIRST_SILENCE, _LONGEST_SILENCE = 15.0, 600.0
_DIFFERENT = 4  # an error with the number of its request in it is another one each time


@dataclass
class Breaker:
    """Watches one thing that every job needs: a model's endpoint, or the engine.

    `probe` asks it once and returns "" when it is well, else what it said; it runs in a thread of its own.
    `say` tells the person: what changes at once, what repeats at growing intervals. `patience` is how many seconds it
    may go on failing before it is given up.
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
    _patient_until: float | None = None
    _paused: bool = False
    _next_probe: float = 0.0
    _pause: float = _FIRST_PAUSE
    _probing: bool = False
    _said: set[str] = field(default_factory=set)
    _heard: bool = False
    _silent_until: float = 0.0
    _silence: float = _FIRST_SILENCE
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def failed(self, detail: str) -> None:
        """Count a failure; the last of a row opens the breaker."""
        with self._lock:
            self._in_a_row += 1
            if self._in_a_row < self.failures or self._paused or self.given_up:
                return
            message = self._open(detail)
        if message:
            self.say(message)

    def _open(self, detail: str) -> str:
        now = self.clock()
        if self._patient_until is None:
            self._patient_until, self._pause = now + self.patience, _FIRST_PAUSE
            if now >= self._silent_until + self._silence:
                self._said.clear()  # a job that succeeds now and then makes no news of it
        elif now >= self._patient_until:
            # It answers when it is asked, and fails the jobs all the same.
            return self._give_up(detail)
        else:
            self._pause = min(self._pause * 2, _LONGEST_PAUSE)
        self._paused = True
        self._ask_after(self._pause)
        self._heard = self._is_news(detail, now)
        if not self._heard:
            return ""
        left = self._patient_until - now
        return (
            f"{self.subject}: {self._in_a_row} failures in a row ({detail}); "
            f"no new jobs for it until it answers again (given up after {left:.0f} s)"
        )

    def _is_news(self, detail: str, now: float) -> bool:
        """Tell whether a failure is said; one that goes on is said again after silences, each twice the last."""
        changed = detail not in self._said and len(self._said) < _DIFFERENT
        if not changed and now < self._silent_until:
            return False
        self._silence = min(self._silence * 2, _LONGEST_SILENCE) if self._said else _FIRST_SILENCE
        self._said.add(detail)
        self._silent_until = now + self._silence
        return True

    def worked(self) -> None:
        """Forget the row: it works."""
        with self._lock:
            self._in_a_row = 0
            self._patient_until = None
            self._paused = False

    def allows(self) -> bool:
        """Tell whether a job may start; a paused breaker asks again when it is time. A given-up one lets jobs end."""
        with self._lock:
            if self._paused and self.clock() >= self._next_probe and not self._probing:
                self._probing = True
                threading.Thread(target=self._ask, name=f"probe {self.subject}", daemon=True).start()
            return not self._paused

    def _ask(self) -> None:
        said = self.probe()
        with self._lock:
            self._probing = False
            if not self._paused:
                return
            if not said:
                # Only a job that succeeds ends the row; until then the next failure opens the breaker again.
                self._in_a_row = self.failures - 1
                self._paused = False
                message = f"{self.subject} answers again; going on" if self._heard else ""
            elif self._patient_until is not None and self.clock() >= self._patient_until:
                message = self._give_up(said)
            else:
                self._pause = min(self._pause * 2, _LONGEST_PAUSE)
                self._ask_after(self._pause)
                return
        if message:
            self.say(message)
        self.wake()

    def _ask_after(self, pause: float) -> None:
        at = self.clock() + pause
        self._next_probe = at if self._patient_until is None else min(at, self._patient_until)

    def _give_up(self, said: str) -> str:
        self.given_up = f"{self.subject} does not come back: {said}"
        self._paused = False
        return f"{self.given_up}; its remaining jobs end without being started"
