"""A comparison as JSON (docs/comparison.md)."""

from __future__ import annotations

from typing import Any

from benchrouter.scores.comparison.compared import Comparison, Pair
from benchrouter.scores.comparison.contender import Contender
from benchrouter.scores.statistics.intervals import LEVEL, Interval
from benchrouter.store.items import ItemCounts


def to_json(found: Comparison, *, flips: bool = False) -> dict[str, Any]:
    """Give one benchmark's comparison; `flips` only where they were looked for."""
    first = found.comparable[0] if found.comparable else None
    document: dict[str, Any] = {
        "benchmark": found.benchmark,
        "variables": dict(first.variables) if first and first.variables is not None else None,
        "aggregate": first.rule.to_json() if first else "mean",
        "level": LEVEL,
        "best": found.best,
        "models": [_model(found, one) for one in found.contenders],
        "pairs": [_pair(pair) for pair in found.pairs],
        "warnings": list(found.warnings),
    }
    if flips:
        document["flips"] = [{"task": f.task, "item": f.item or None, "scores": dict(f.scores)} for f in found.flips]
    return document


def _model(found: Comparison, one: Contender) -> dict[str, Any]:
    scored, spread, passes = one.scored, one.by_repeat, one.passes
    return {
        "model": one.model,
        "state": scored.state.value,
        "overall": scored.overall,
        "interval": _interval(one.interval),
        "overall_failures_as_zero": scored.overall_failures_as_zero,
        "coverage": {"completed": scored.coverage.completed, "declared": scored.coverage.declared},
        "items": _items(scored.items),
        "comparable": one.model not in found.apart,
        "reasons": list(found.apart.get(one.model, ())),
        "repeats": {"n": spread.n, "mean": spread.mean, "deviation": spread.deviation},
        "pass_at": list(passes.at) if passes else None,
        "pass_all": list(passes.all) if passes else None,
        "tasks": [_task(found, one, task) for task in one.tasks],
    }


def _task(found: Comparison, one: Contender, task: str) -> dict[str, Any]:
    jobs = one.of_task[task]
    counts = [job.counts for job in jobs if job.counts]
    return {
        "task": task,
        "overall": one.score_of(task),
        "interval": _interval(one.interval_of(task)),
        "completed": sum(job.overall is not None for job in jobs),
        "declared": len(jobs),
        "reasons": sorted({job.reason.word for job in jobs if job.reason}),
        "items": _items(sum(counts, start=ItemCounts(0, 0)) if counts else None),
        "best": found.best_of.get(task) == one.model if found.best_of is not None else None,
    }


def _pair(pair: Pair) -> dict[str, Any]:
    tested = pair.tested
    return {
        "first": pair.first,
        "second": pair.second,
        "difference": tested.difference,
        "interval": _interval(tested.interval),
        "p": tested.p,
        "p_holm": pair.adjusted,
        "real": pair.real,
        "method": tested.method,
        "better": tested.better,
        "worse": tested.worse,
        "same": tested.same,
        "left_out": pair.left_out,
    }


def _interval(interval: Interval | None) -> list[float] | None:
    return interval.to_json() if interval else None


def _items(counts: ItemCounts | None) -> dict[str, int] | None:
    return {"judged": counts.judged, "selected": counts.selected} if counts else None
