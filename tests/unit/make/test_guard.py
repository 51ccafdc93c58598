"""How a command ends when it does not end by itself."""

from __future__ import annotations

import pytest

from benchrouter.make.commands.guard import INTERRUPTED, OK, guarded


class Interrupted:
    """A field of a class, in whose naming Ctrl-C comes."""

    def __init__(self, error: type[BaseException]) -> None:
        self.error = error

    def __set_name__(self, owner: type, name: str) -> None:
        raise self.error


def making_a_class(error: type[BaseException]) -> int:
    type("Class", (), {"field": Interrupted(error)})
    return OK


def test_a_signal_while_a_class_was_made_ended_as_an_internal_error() -> None:
    """Python 3.11 makes a RuntimeError of it: a run that was ended while it imported had exit status 3, not 130."""
    assert guarded(lambda: making_a_class(KeyboardInterrupt)) == INTERRUPTED


def test_another_error_while_a_class_is_made_is_raised() -> None:
    with pytest.raises((RuntimeError, ZeroDivisionError)):
        guarded(lambda: making_a_class(ZeroDivisionError))
