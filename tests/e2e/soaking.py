"""Tests that cost more than the suite can bear, and are run by `doit soak` alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest


def only_in_soak(why: str) -> Callable[[Any], Any]:
    """Decorate a test: `doit soak` runs it, the suite skips it and says why."""

    def marked(test: Any) -> Any:
        for mark in soak_marks(why):
            test = mark(test)
        return test

    return marked


def soak_marks(why: str) -> list[pytest.MarkDecorator]:
    """Give the same as marks, for one parameter of a test: `pytest.param(…, marks=soak_marks(…))`."""
    reason = f"{why}; `doit soak` runs it"
    return [pytest.mark.soak, pytest.mark.skipif("BENCHROUTER_SOAK" not in os.environ, reason=reason)]
