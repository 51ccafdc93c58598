"""Requests for tests of the pure modules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchrouter.jobs.request import JobRequest
from benchrouter.models.model import Model
from benchrouter.spec.task import Task
from benchrouter.store.jobid import JobId

ROOT = Path("/ws")


def a_request(command: str = "sh run.sh", **options: Any) -> JobRequest:
    """Make a request; options of the task and of the request may be mixed."""
    names = ("id", "model", "variables", "pass_env", "seed", "tree", "endpoint", "images", "environment", "data")
    fields = {name: options.pop(name) for name in names if name in options}
    given: dict[str, Any] = {
        "id": JobId("bench", "task", "gpt"),
        "model": Model("gpt", "org/gpt"),
        "tree": ROOT / "benchmarks/bench/task",
        "endpoint": "http://localhost:8000/v1",
        **fields,
    }
    return JobRequest(
        key="k",
        run_id="r",
        task=Task("T", command, **options),
        benchmark_root=ROOT / "benchmarks/bench",
        image_tag="benchrouter/bench-env:abc",
        **given,
    )
