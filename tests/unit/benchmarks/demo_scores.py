"""What every shipped benchmark's demo scores must be, counted from its answer file alone."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from benchrouter.models.answers import expected_wrong

ROOT = Path(__file__).resolve().parents[3]
BENCHMARKS = ROOT / "benchmarks"


def answer_lines(benchmark: str) -> list[dict[str, str]]:
    text = (BENCHMARKS / benchmark / "answers.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def predicted(benchmark: str) -> dict[str, float]:
    counts = Counter(entry["task"] for entry in answer_lines(benchmark))
    return {task: (n - expected_wrong(n)) / n for task, n in counts.items()}
