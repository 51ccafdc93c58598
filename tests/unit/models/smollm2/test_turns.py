"""The queue: one at a time, fair between jobs, and nobody who has gone keeps a place."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from benchrouter.models.smollm2.turns import Gone, Turns


def never() -> bool:
    return False


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.001)


class Crowd:
    """Clients in threads, each with a turn that ends when it is told to; `served` is the order of their turns."""

    def __init__(self) -> None:
        self.turns = Turns()
        self.served: list[str] = []
        self.go = threading.Semaphore(0)
        self._threads: list[threading.Thread] = []
        self.most = 0
        self._at_work = 0

    def join(self, lane: str) -> None:
        """Let a client stand in line, and wait until it does."""
        before = self.turns.waiting + len(self.served)
        thread = threading.Thread(target=self._client, args=(lane,), daemon=True)
        thread.start()
        self._threads.append(thread)
        wait_until(lambda: self.turns.waiting + len(self.served) > before)

    def _client(self, lane: str) -> None:
        with self.turns.turn(lane, never):
            self.served.append(lane)
            self._at_work += 1
            self.most = max(self.most, self._at_work)
            assert self.go.acquire(timeout=5)
            self._at_work -= 1

    def end(self) -> None:
        """Let all of them be served."""
        for _ in self._threads:
            self.go.release()
        for thread in self._threads:
            thread.join(5)
            assert not thread.is_alive()


def test_lanes_come_in_rotation_whoever_asks_more() -> None:
    crowd = Crowd()
    for lane in ("a", "a", "a", "a", "b", "b", "c"):
        crowd.join(lane)
    crowd.end()
    assert crowd.served == ["a", "b", "c", "a", "b", "a", "a"]
    assert crowd.most == 1
    assert crowd.turns.waiting == 0


def test_a_lane_that_was_not_there_yet_comes_next() -> None:
    crowd = Crowd()
    for lane in ("a", "a", "a", "b", "b"):
        crowd.join(lane)
    crowd.go.release()
    wait_until(lambda: crowd.served == ["a", "b"])
    crowd.join("late")
    crowd.end()
    assert crowd.served == ["a", "b", "late", "a", "b", "a"]


def test_a_client_that_goes_frees_its_place() -> None:
    turns, gone = Turns(), threading.Event()
    left: list[BaseException] = []

    def wait() -> None:
        try:
            with turns.turn("b", gone.is_set):
                raise AssertionError("it has gone")
        except Gone as error:
            left.append(error)

    with turns.turn("a", never):
        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        wait_until(lambda: turns.waiting == 1)
        gone.set()
        thread.join(5)
        assert left and not turns.waiting
    with turns.turn("c", never):
        pass


def test_a_turn_that_fails_is_given_on() -> None:
    turns = Turns()
    with pytest.raises(RuntimeError), turns.turn("a", never):
        raise RuntimeError
    with turns.turn("a", never):
        pass
