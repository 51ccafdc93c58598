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


def predicted(benchmark: str) -> dict[str, float]:
    """Give the score of each task in full; an item may take several lines."""
    items: dict[str, set[str]] = {}
    for entry in answer_lines(benchmark):
        items.setdefault(entry["task"], set()).add(entry["item"])
    counts = {task: len(found) for task, found in items.items()}
    return {task: (n - expected_wrong(n)) / n for task, n in counts.items()}
