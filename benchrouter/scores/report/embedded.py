"""Items as JSON inside the page: by columns, bounded, and safe whatever a task has written (pure)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from benchrouter.scores.collected import ItemResult

_ID, _TEXT = 300, 1500
BUDGET = 24_000_000
"""Characters of items in one page, at most; what a task says beside the scores gets a third of it."""


class Embedder:
    """Turns the items of one job after the other into blocks of the page, as long as there is room."""

    def __init__(self, budget: int = BUDGET) -> None:
        self.blocks: list[str] = []
        self._room = budget
        self._texts = budget // 3

    def add(self, items: Sequence[ItemResult]) -> int | None:
        """Embed the items of a job; give the number of the block, None when there is no room or no item."""
        if not items:
            return None
        more = {n: _text(item.more) for n, item in enumerate(items) if item.more}
        size = sum(map(len, more.values()))
        block = safe_json(_columns(items, more if size <= self._texts else {}, size > self._texts))
        if len(block) > self._room:
            return None
        self._texts -= size if size <= self._texts else 0
        self._room -= len(block)
        self.blocks.append(block)
        return len(self.blocks) - 1


def safe_json(value: Any) -> str:
    """Encode as ASCII JSON that no HTML parser takes for markup: neither tags, comments nor character references."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def visible(text: str) -> str:
    """Show what a browser would not, or would act upon (controls, marks of direction), as a sign of its own."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in text)


def _columns(items: Sequence[ItemResult], more: dict[int, str], left_out: bool) -> dict[str, Any]:
    tokens = [list(item.tokens) if item.tokens else None for item in items]
    note = "what the task says of each item is left out here: see raw_metrics in its result.json"
    return {
        "ids": [cut(item.id, _ID) for item in items],
        "scores": [item.score for item in items],
        "errors": {n: cut(item.error, _TEXT) for n, item in enumerate(items) if item.error},
        "tokens": tokens if any(tokens) else None,
        "more": more,
        "note": note if left_out else "",
    }


def _text(more: Any) -> str:
    lines = (f"{key}: {value if isinstance(value, str) else _json(value)}" for key, value in more.items())
    return cut("\n".join(lines), _TEXT)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def cut(text: str, length: int) -> str:
    """Shorten a text to so many characters, all of them visible."""
    return visible(text if len(text) <= length else text[: length - 1] + "…")
