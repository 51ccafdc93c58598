"""Blocks made ahead: the same ones, errors where they belong, nothing left running."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from benchrouter.engine.archive.ahead import made_ahead


def blocks(count: int, closed: threading.Event, fault: bool = False) -> Iterator[bytes]:
    """Yield some blocks and tell when they are let go of."""
    try:
        for number in range(count):
            yield b"%d" % number
        if fault:
            raise ValueError("damaged")
    finally:
        closed.set()


def test_the_same_blocks_in_order() -> None:
    assert list(made_ahead(blocks(100, threading.Event()))) == [b"%d" % number for number in range(100)]


def test_an_error_comes_after_the_blocks_before_it() -> None:
    got: list[bytes] = []
    with pytest.raises(ValueError, match="damaged"):
        got.extend(made_ahead(blocks(3, threading.Event(), fault=True)))


def test_a_reader_that_leaves_ends_the_thread() -> None:
    closed = threading.Event()
    stream = made_ahead(blocks(1_000_000, closed))
    assert next(stream) == b"0"
    stream.close()
    until = time.monotonic() + 5
    while any(thread.name == "archive-ahead" for thread in threading.enumerate()):
        assert time.monotonic() < until
        time.sleep(0.01)
