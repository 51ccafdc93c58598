"""Texts from outside that no encoder takes: half of a pair of surrogates, as `"\\ud800"` in JSON makes it (pure)."""

from __future__ import annotations

import re
from typing import Any

_LONE = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")
STAND_IN = "\N{REPLACEMENT CHARACTER}"


def wellformed(text: str) -> str:
    """Put U+FFFD in place of every lone surrogate, so that the text can be encoded."""
    return _LONE.sub(STAND_IN, text)


def may_hold_lone(json_text: str) -> bool:
    """Tell whether JSON, decoded from UTF-8, spells a surrogate at all."""
    return _ESCAPED.search(json_text) is not None


def make_wellformed(tree: Any) -> Any:
    """Mend all texts and keys of parsed JSON, objects and lists in place; without recursion."""
    if isinstance(tree, str):
        return wellformed(tree)
    pending = [tree] if isinstance(tree, dict | list) else []
    while pending:
        holder = pending.pop()
        if isinstance(holder, dict) and any(map(_LONE.search, holder)):
            _mend_keys(holder)
        for place, value in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            if isinstance(value, str):
                holder[place] = wellformed(value)
            elif isinstance(value, dict | list):
                pending.append(value)
    return tree


def _mend_keys(holder: dict[str, Any]) -> None:
    members, counts = list(holder.items()), dict[str, int]()
    holder.clear()
    for key, value in members:
        holder[distinct(wellformed(key), holder, counts)] = value


def distinct(name: str, taken: dict[str, Any], counts: dict[str, int]) -> str:
    """Give a key that is not taken yet: the name, else with a number; `counts` remembers how far they have come."""
    chosen, count = name, counts.get(name, 1)
    while chosen in taken:
        count += 1
        chosen = f"{name} ({count})"
    counts[name] = count
    return chosen
