"""A `results/` of one's own, written by the code that writes the real one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import xxhash

from benchrouter.scores.aggregate import JobScore, aggregate
from benchrouter.spec.names import encode
from benchrouter.store import artifact
from benchrouter.store.items import read_items
from benchrouter.store.jobid import JobId
from benchrouter.store.states import JobState, Outcome, Reason

INPUTS: dict[str, Any] = {"contract": 1, "files": {"run.py": "aa"}, "task": {"command": "python run.py"}, "seed": None}


@dataclass
class Shelf:
    """Puts jobs and aggregates into `root`, a results directory."""

    root: Path
    jobs: dict[tuple[str, str], list[JobScore]] = field(default_factory=dict)

    def add(
        self,
        model: str,
        task: str,
        items: Mapping[str, float | None] | Sequence[float | None] = (),
        /,
        *,
        overall: float | None = None,
        repeat: int = 0,
        benchmark: str = "b",
        reason: Reason | None = None,
        revision: str = "",
        **inputs: Any,
    ) -> Path:
        """Add a job to the next aggregate; items by id, or by position; `reason` makes it a failed one."""
        pairs = items if isinstance(items, Mapping) else {f"i{n:05}": score for n, score in enumerate(items)}
        rows = [{"id": k, "score": v} if v is not None else {"id": k, "error": "broke"} for k, v in pairs.items()]
        judged = [score for score in pairs.values() if score is not None]
        score = overall if overall is not None else sum(judged) / len(judged) if judged else None
        id = JobId(benchmark, task, model, repeat)
        made = {**INPUTS, "variables": {}, "repeat": repeat, **inputs, "model": {"name": model, "revision": revision}}
        key = xxhash.xxh3_128_hexdigest(repr((id, sorted(made.items()))).encode())
        state = JobState.FAILED if reason else JobState.COMPLETED
        directory = self.root / benchmark / encode(model) / task / ("failed/1" if reason else key)
        directory.mkdir(parents=True, exist_ok=True)
        raw = {"overall": score, **({"items": rows} if rows else {})}
        outcome = Outcome(state, reason, detail="because" if reason else "", overall=score, seconds=1.5)
        artifact.write_documents(
            directory, id, key, outcome, inputs=made, provenance={}, run_id="r", raw_metrics=raw
        )
        counts = read_items(raw).counts
        job = JobScore(id, key, state, None if reason else score, reason, counts)
        self.jobs.setdefault((benchmark, model), []).append(job)
        return directory

    def settle(self, *, name: str = "1", headline: bool = True, declared: int | None = None, **rule: Any) -> None:
        """Write the aggregates of all jobs added since the last time."""
        for (benchmark, model), jobs in self.jobs.items():
            total = len(jobs) if declared is None else declared
            data = aggregate(benchmark, model, total, jobs, **rule).to_bytes()
            directory = self.root / benchmark / encode(model)
            (directory / "aggregates").mkdir(exist_ok=True)
            (directory / "aggregates" / f"{name}.json").write_bytes(data)
            if headline:
                (directory / "aggregate.json").write_bytes(data)
        self.jobs.clear()
