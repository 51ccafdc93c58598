"""Durations, sizes and counts: accepted where clear, else refused; never rounded to nothing."""

from __future__ import annotations

import pytest

from benchrouter.spec.values import seconds, size, whole


@pytest.mark.parametrize(
    ("written", "expected"),
    [(7200, 7200), (0.5, 0.5), ("3600", 3600), ("90m", 5400), ("1h30m", 5400), ("10m", 600), ("1.5s", 1.5),
     ("500ms", 0.5), ("1d", 86400), (" 2h ", 7200)],
)  # fmt: skip
def test_clear_durations(written: object, expected: float) -> None:
    assert seconds(written) == pytest.approx(expected)


@pytest.mark.parametrize(
    "written",
    [0, -1, "0", "-5", "0s", "m", "10 minutes", "10x", "", True, None, [], float("nan"), float("inf"), 10**400,
     "1e3", 1e12],
)  # fmt: skip
def test_a_timeout_is_never_silently_off(written: object) -> None:
    with pytest.raises(ValueError, match="expected"):
        seconds(written)


@pytest.mark.parametrize(
    ("written", "expected"),
    [("64m", 64 << 20), ("16g", 16 << 30), ("16GiB", 16 << 30), ("1.5 g", 3 << 29), (1024, 1024), ("2KB", 2048),
     ("5b", 5), ("1T", 1 << 40)],
)  # fmt: skip
def test_sizes(written: object, expected: int) -> None:
    assert size(written) == expected


@pytest.mark.parametrize("written", ["", "g", "0", -1, True, "1 pound", None, "1e3"])
def test_sizes_that_are_none(written: object) -> None:
    with pytest.raises(ValueError, match="expected a size"):
        size(written)


def test_whole_numbers() -> None:
    assert whole("3", 1) == 3
    assert whole(3.0, 1) == 3
    for bad in (True, 1.5, "x", 0, None, float("inf")):
        with pytest.raises(ValueError, match="whole number"):
            whole(bad, 1)
