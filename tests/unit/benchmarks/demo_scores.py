"""What every shipped benchmark's demo scores must be, counted from its answer file alone."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from benchrouter.models.answers import expected_wrong

ROOT = Path(__file__).resolve().parents[3]
BENCHMARKS = ROOT / "benchmarks"


def answer_lines(benchmark: str) -> list[dict[str, Any]]:
    plain, packed = (BENCHMARKS / benchmark / name for name in ("answers.jsonl", "answers.jsonl.gz"))
    text = plain.read_text("utf-8") if plain.exists() else gzip.decompress(packed.read_bytes()).decode()
    return [json.loads(line) for line in text.split("\n") if line]


NEVER_RIGHT = {"live_simple_112-68-0", "live_multiple_964-207-0"}
"""Items that no answer can pass, and that are not wrong on purpose anyway: upstream contradicts itself (bfcl)."""


def items_of(benchmark: str) -> dict[str, list[str]]:
    """List the items of each task that the demo model answers; an item may take several lines."""
    items: dict[str, dict[str, None]] = {}
    for entry in answer_lines(benchmark):
        items.setdefault(entry["task"], {})[entry["item"]] = None
    return {task: list(found) for task, found in items.items()}


def predicted(benchmark: str, limit: int | None = None) -> dict[str, float]:
    """Give the score of each task, in full or with BENCH_LIMIT."""
    return {task: _score(items[:limit]) for task, items in items_of(benchmark).items()}


def _score(items: list[str]) -> float:
    right = len(items) - len(NEVER_RIGHT.intersection(items)) - expected_wrong(len(items))
    return right / len(items)
