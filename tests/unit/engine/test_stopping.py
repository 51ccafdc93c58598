"""Signals in their order: TERM, grace, KILL, and an error when even that does not help."""

from __future__ import annotations

import threading

import pytest

from benchrouter.engine import deadlines
from benchrouter.engine.errors import EngineError
from benchrouter.engine.stopping import Stopping


def _stopping(timeout: float = 10.0, grace: float = 5.0) -> tuple[Stopping, threading.Event, list[str | None]]:
    cancelled, watched = threading.Event(), [None]
    stopping = Stopping(timeout, grace, cancelled, lambda: watched[0])
    stopping.started(0.0)
    return stopping, cancelled, watched


def test_nothing_is_due_before_the_timeout() -> None:
    stopping, _, _ = _stopping()
    assert stopping.due(9.9) is None
    assert not stopping.stopped


def test_timeout_sends_term_then_kill_after_the_grace() -> None:
    stopping, _, _ = _stopping()
    assert stopping.due(10.0) == "TERM"
    assert stopping.due(14.9) is None
    assert stopping.due(15.0) == "KILL"
    assert stopping.due(15.1) is None
    assert stopping.timed_out
    assert not stopping.was_cancelled


def test_a_container_that_survives_kill_is_an_engine_error() -> None:
    stopping, _, _ = _stopping(grace=0.0)
    stopping.due(10.0)
    stopping.due(10.0)
    with pytest.raises(EngineError, match="did not end"):
        stopping.due(10.1 + deadlines.STOP_CHECK)


def test_cancellation_shortens_the_grace_even_of_a_timeout_under_way() -> None:
    stopping, cancelled, _ = _stopping(grace=60.0)
    assert stopping.due(10.0) == "TERM"
    cancelled.set()
    assert stopping.due(11.0) is None
    assert stopping.due(11.0 + deadlines.CANCEL_GRACE) == "KILL"
    assert stopping.timed_out


def test_the_watcher_stops_with_its_own_words() -> None:
    stopping, _, watched = _stopping()
    watched[0] = "too much output"
    assert stopping.due(1.0) == "TERM"
    assert stopping.watched == "too much output"
    assert not stopping.timed_out
