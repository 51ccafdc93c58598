"""Canonical digests: equal for equal values, different for different ones."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchrouter.keys.canonical import digest

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def shuffled(value: object) -> object:
    if isinstance(value, dict):
        return {key: shuffled(value[key]) for key in reversed(list(value))}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


@given(VALUES)
def test_order_of_keys_and_a_round_trip_change_nothing(value: object) -> None:
    assert digest(value) == digest(shuffled(value)) == digest(json.loads(json.dumps(value)))  # type: ignore[arg-type]


@given(VALUES, VALUES)
def test_different_values_have_different_digests(one: object, other: object) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (digest(one) == digest(other)) == same  # type: ignore[arg-type]


def test_look_alikes_differ() -> None:
    values = [
        None,
        "null",
        True,
        "true",
        1,
        1.0,
        "1",
        0,
        -0.0,
        [],
        {},
        "",
        [""],
        ["a", "b"],
        ["a,b"],
        {"a": "b"},
    ]
    assert len({digest(value) for value in values}) == len(values)  # type: ignore[arg-type]


def test_a_digest_is_the_same_for_ever() -> None:
    """A change here reruns every job of every workspace."""
    assert digest({"b": [1, 1.5, None, "é"], "a": True}) == "f20828fdda3b023cac4ec7792c147185"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": [float("-inf")]}])
def test_numbers_that_are_not_finite_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        digest(value)  # type: ignore[arg-type]
