"""A workspace of many small benchmarks, every job of it finished through the store."""

from __future__ import annotations

import os
from pathlib import Path

from benchrouter.make.aggregates import write_aggregate
from benchrouter.make.session import Session
from benchrouter.make.workspace_files import write_workspace_files
from benchrouter.store.seed import SeedJob, seed_completed

MODEL = "m"


def write_workspace(root: Path, benchmarks: int, tasks: int) -> None:
    """Write the sources: each task has five small files, its task.yaml among them."""
    root.mkdir(parents=True, exist_ok=True)
    write_workspace_files(root)
    for b in range(benchmarks):
        home = root / "benchmarks" / f"s{b:03}"
        environment = home / "environments" / home.name
        environment.mkdir(parents=True, exist_ok=True)
        (environment / "Dockerfile").write_text("FROM debian:bookworm-slim\n")
        names = [f"t{t:03}" for t in range(tasks)]
        listed = "".join(f"  - name: {name}\n" for name in names)
        (home / "benchmark.yaml").write_text(f"name: {home.name}\ntasks:\n{listed}")
        for name in names:
            _write_task(home / name, f"{home.name}/{name}")


def _write_task(directory: Path, label: str) -> None:
    directory.mkdir(exist_ok=True)
    (directory / "task.yaml").write_text(f"name: {label}\ncommand: sh run.sh\n")
    (directory / "run.sh").write_text('echo \'{"overall": 0.5}\' >"$BENCHROUTER_OUTPUT_DIR/result.json"\n')
    for part in ("prompt.txt", "cases.json", "notes.md"):
        (directory / part).write_text(f"{label} {part}\n")


def finish_all_jobs(root: Path) -> int:
    """Complete every job of the workspace without running it; return how many there are."""
    before = Path.cwd()
    os.chdir(root)
    try:
        session = Session.begin({"model": MODEL}, environ={}, may_write=True)
        jobs = [SeedJob(job.id, job.key, 0.5, items=20) for job in session.graph.jobs]
        seed_completed(session.ws, jobs)
        fresh = Session.begin({"model": MODEL}, environ={}, may_write=True)
        for node in fresh.graph.aggregates:
            write_aggregate(fresh, node)
        return len(jobs)
    finally:
        os.chdir(before)
