"""Read what a model answered: its text, without what it thought aloud, and the tokens that it took."""

from __future__ import annotations

from typing import Any


def text_of(answer: dict[str, Any]) -> str:
    """Give the text of an answer of `complete`, without its thoughts; "" when it has none."""
    return without_thoughts(str(answer["choices"][0]["message"].get("content") or ""))


def without_thoughts(text: str) -> str:
    """Leave out what a reasoning model put between <think> and </think>, where either tag may be missing."""
    return text.rpartition("</think>")[2].partition("<think>")[0].strip()


def tokens_of(*answers: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Give `{"tokens": {"prompt": …, "completion": …}}`, summed over answers; {} when one does not tell."""
    total = {"prompt": 0, "completion": 0}
    for answer in answers:
        usage = answer.get("usage")
        for name in total:
            count = usage.get(f"{name}_tokens") if isinstance(usage, dict) else None
            if isinstance(count, bool) or not isinstance(count, int):
                return {}
            total[name] += count
    return {"tokens": total} if answers else {}
