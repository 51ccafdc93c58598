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


def predicted(benchmark: str) -> dict[str, float]:
    """Give the score of each task in full; an item may take several lines."""
    items: dict[str, set[str]] = {}
    for entry in answer_lines(benchmark):
        items.setdefault(entry["task"], set()).add(entry["item"])
    right = {task: len(found - NEVER_RIGHT) - expected_wrong(len(found)) for task, found in items.items()}
    return {task: count / len(items[task]) for task, count in right.items()}
