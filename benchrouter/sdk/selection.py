"""Which items of a benchmark are asked: all of them, or few, always the same few."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

BAD_VARIABLE = 2


def select(items: Iterable[Any], id: Callable[[Any], str] = str) -> list[Any]:
    """Put items into a seeded order and return the first BENCH_LIMIT of them, all without that variable.

    `id` gives an item's id, a text that stays the same from run to run. The order is that of
    sha256("<seed>:<id>"), the seed being BENCH_SEED or 0: ten items are the first ten of twenty. A BENCH_LIMIT that
    is no whole number of at least 1 ends the script with status 2. Raise ValueError when two items have one id.
    """
    limit = None if os.environ.get("BENCH_LIMIT") is None else _whole("BENCH_LIMIT")
    seed = os.environ.get("BENCH_SEED") or "0"
    by_place: dict[str, Any] = {}
    for item in items:
        text = f"{seed}:{id(item)}"
        place = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        if place in by_place:
            raise ValueError(f"two items have the id {id(item)!r}")
        by_place[place] = item
    ordered = [by_place[place] for place in sorted(by_place)]
    return ordered if limit is None else ordered[:limit]


def whole(name: str, default: Any = None) -> Any:
    """Read a variable that holds a whole number of at least 1; give `default` where there is none, or an empty one.

    Anything else ends the script with status 2 and one line.
    """
    return _whole(name) if os.environ.get(name) else default


def _whole(name: str) -> int:
    given = os.environ[name]
    text = given.strip()
    if text.isdigit() and text.isascii() and int(text) >= 1:
        return int(text)
    print(f"{name}={given}: expected a whole number of at least 1", file=sys.stderr)
    raise SystemExit(BAD_VARIABLE)
