"""Single results inside a task's result (docs/contract.md, "Items"): how many were judged, or what is odd (pure).

The form is optional and a task's own: whatever stands there, nothing here fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

KEY = "items"


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """How many items a task selected, and how many of them it could judge."""

    judged: int
    selected: int

    @property
    def errors(self) -> int:
        """Count those that could not be judged."""
        return self.selected - self.judged

    def __str__(self) -> str:
        return f"{self.judged}/{self.selected}"

    def __add__(self, other: ItemCounts) -> ItemCounts:
        return ItemCounts(self.judged + other.judged, self.selected + other.selected)


@dataclass(frozen=True)
class Items:
    """What a result says of its items: counts when they have the form, else the fault; `error` is the first one."""

    counts: ItemCounts | None = None
    fault: str = ""
    error: str = ""


class _Odd(Exception):
    """The items do not have the form."""


def read_items(raw: object) -> Items:
    """Read the items of a result; nothing at all for one without them. NaN must have become None before."""
    found = raw.get(KEY) if isinstance(raw, Mapping) else None
    if found is None:
        return Items()
    try:
        if not isinstance(found, list) or not found:
            raise _Odd(f"`{KEY}` is {_kind(found)}; expected a list of at least one object")
        errors: dict[str, str] = {}
        seen: set[str] = set()
        for number, item in enumerate(found, start=1):
            _check(item, number, seen, errors)
    except _Odd as odd:
        return Items(fault=str(odd))
    first = next((f"{name}: {text}" for name, text in errors.items()), "")
    return Items(ItemCounts(len(found) - len(errors), len(found)), error=first)


def _check(item: Any, number: int, seen: set[str], errors: dict[str, str]) -> None:
    if not isinstance(item, dict):
        raise _Odd(f"item {number} of `{KEY}` is {_kind(item)}; expected an object")
    name, score, error = item.get("id"), item.get("score"), item.get("error")
    if not isinstance(name, str) or not name:
        raise _Odd(f"item {number} of `{KEY}` has no `id` that is a text")
    if name in seen:
        raise _Odd(f"two of the `{KEY}` have the id {name!r:.80}")
    seen.add(name)
    where = f"item {name!r:.80} of `{KEY}`"
    if score is None:
        if not isinstance(error, str) or not error:
            raise _Odd(f"{where} has neither a `score` nor an `error` that is a text")
        errors[name] = error
    elif isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        raise _Odd(f"{where} has the score {score!r:.80}; expected a number from 0 to 1")
    elif error:
        raise _Odd(f"{where} has a `score` beside its `error`; expected one of them")
    if not _tokens(item.get("tokens")):
        raise _Odd(f"{where}: `tokens` are expected as whole numbers under `prompt` and `completion`")


def _tokens(value: Any) -> bool:
    if value is None:
        return True
    return isinstance(value, dict) and all(
        count is None or (type(count) is int and count >= 0) for count in map(value.get, ("prompt", "completion"))
    )


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    kinds = {dict: "an object", str: "a text", bool: "a boolean", type(None): "null"}
    return kinds.get(type(value), "a number")
