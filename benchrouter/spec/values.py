"""Values that people write in several ways: durations, sizes, counts; ValueError says what was expected."""

from __future__ import annotations

import math
import re

_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|us|ns|d|h|m|s))+")
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|us|ns|d|h|m|s)")
_SECONDS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([kmgt])(?:i?b)?|b)?", re.IGNORECASE)
_BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
LARGEST = 1 << 60
"""The largest size in bytes."""
LONGEST = 366 * 86400.0
"""The longest duration in seconds: a year."""
LARGEST_SEED = 1 << 53
"""Seeds of files and of the command line alike: what JSON holds without loss."""
MOST_REPEATS = 10_000
"""More jobs of one task than this are a slip of the finger, and would keep a plan busy for minutes."""


def seconds(value: object) -> float:
    """Read a duration: seconds as a number, or text such as `90m`, `1h30m`, `1.5s`, `3600`."""
    expected = "expected seconds (`7200`) or a duration (`90m`, `1h30m`), more than 0"
    number = _number(value)
    if number is None and isinstance(value, str) and _DURATION.fullmatch(value.strip()):
        number = sum(float(n) * _SECONDS[unit] for n, unit in _DURATION_PART.findall(value))
    if number is None or not math.isfinite(number) or number <= 0:
        raise ValueError(expected)
    if number > LONGEST:
        raise ValueError("expected at most a year")
    return number


def size(value: object) -> int:
    """Read a size in bytes: a number, or text such as `64m`, `16g`, `16 GiB`; a k is 1024 as in Docker."""
    expected = "expected a size such as `512m` or `16g`"
    if isinstance(value, str):
        match = _SIZE.fullmatch(value.strip())
        if not match:
            raise ValueError(expected)
        number = float(match[1]) * _BYTES[(match[2] or "").lower()]
    else:
        read = math.inf if _above(value, LARGEST) else _number(value)
        if read is None:
            raise ValueError(expected)
        number = read
    if number > LARGEST:
        raise ValueError(f"expected at most {LARGEST >> 40}t")
    if not math.isfinite(number) or number < 1:
        raise ValueError(f"{expected}, of 1 byte or more")
    return int(number)


def whole(value: object, least: int, most: int = 1 << 53) -> int:
    """Read a whole number between two bounds; digits in quotes count, true and 1.5 do not."""
    number = _number(value)
    if number is None or number != int(number) or not least <= number <= most:
        open_end = most == 1 << 53 and least > -most and not _above(value, most)
        bound = f"of {least} or more" if open_end else f"from {least} to {most}"
        raise ValueError(f"expected a whole number {bound}")
    return int(number)


def _above(value: object, most: int) -> bool:
    """Tell whether a whole number, however long, is above a bound."""
    if isinstance(value, str) and re.fullmatch(r"\+?\d+", value.strip()):
        value = float(value)
    return isinstance(value, int | float) and not isinstance(value, bool) and value > most


def positive(value: object) -> float:
    """Read a finite number above 0."""
    number = _number(value)
    if number is None or number <= 0:
        raise ValueError("expected a number above 0")
    return number


def _number(value: object) -> float | None:
    if isinstance(value, str) and re.fullmatch(r"[+-]?\d+(\.\d+)?", value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
