"""Values of documents as what they have to be; TypeError for anything else, so that a foreign file is a torn one."""

from __future__ import annotations

import math
from typing import Any

_LATEST = 1e11


def text(value: Any) -> str:
    """Take a text."""
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def whole(value: Any) -> int:
    """Take a whole number that a clock or a counter may show."""
    if type(value) is not int or not -(2**63) <= value < 2**63:
        raise TypeError(value)
    return value


def number(value: Any) -> float:
    """Take a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(value)
    try:
        found = float(value)
    except OverflowError:
        raise TypeError(value) from None
    if not math.isfinite(found):
        raise TypeError(value)
    return found


def seconds(value: Any) -> float:
    """Take seconds, since the epoch or of a duration: such as a calendar can show."""
    found = number(value)
    if not 0 <= found < _LATEST:
        raise TypeError(value)
    return found


def seconds_or_none(value: Any) -> float | None:
    """Take seconds; None for anything else."""
    try:
        return seconds(value)
    except TypeError:
        return None
