"""One at a time, and fair: whoever waits longest since its last turn comes next, however much another one asks."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOOK = 0.25  # seconds between two looks whether a client that waits is still there


class Gone(Exception):
    """The client went away while it waited."""


class Turns:
    """Gives the turn to the lane whose last one lies longest ago; within a lane in the order of asking."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._lanes: dict[str, deque[object]] = {}
        self._last: dict[str, int] = {}  # the number of each lane's last turn
        self._given = 0
        self._taken = False

    @contextmanager
    def turn(self, lane: str, gone: Callable[[], bool]) -> Iterator[None]:
        """Wait for the turn and hold it; raise Gone when `gone` says so meanwhile, and free the place."""
        ticket = object()
        with self._changed:
            self._lanes.setdefault(lane, deque()).append(ticket)
            try:
                while self._taken or self._next() is not ticket:
                    self._changed.wait(LOOK)
                    if gone():
                        raise Gone
                self._taken = True
                self._given += 1
                self._last[lane] = self._given
            finally:
                self._leave(lane, ticket)
        try:
            yield
        finally:
            with self._changed:
                self._taken = False
                self._changed.notify_all()

    @property
    def waiting(self) -> int:
        """Count those that wait."""
        with self._changed:
            return sum(map(len, self._lanes.values()))

    def _next(self) -> object:
        lane = min(self._lanes, key=lambda lane: self._last.get(lane, 0))
        return self._lanes[lane][0]

    def _leave(self, lane: str, ticket: object) -> None:
        self._lanes[lane].remove(ticket)
        if not self._lanes[lane]:
            del self._lanes[lane]
        self._changed.notify_all()
