"""A start after a kill, while no engine answers: it warns, goes on, and a later start sweeps."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from killing import check_nothing_left, client, dead_runs, end_of, start
from project import SCORE, Project, wait_until

NOBODY = {"DOCKER_HOST": "unix:///nonexistent/docker.sock"}


def _read(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text()))


def test_a_dead_owner_is_swept_when_an_engine_answers(project: Project) -> None:
    """Kill a run, start without an engine, with one, and once more."""
    project.benchmark("b", {"done": SCORE % 1, "long": f"sleep 30; {SCORE % 0}"})
    project.run("tasks=done")
    process = start(project)
    label = {"label": f"benchrouter.workspace={project.id}", "status": "running"}
    with client() as api:
        wait_until(lambda: bool(api.containers(filters=label)))
        process.kill()
        end_of(process)
        began = time.monotonic()
        done = project.run("tasks=done", env=NOBODY)
        assert time.monotonic() - began < 10
        assert "an earlier run was killed; what it left is swept when an engine answers" in done.err
        assert "coverage 1/2" in done.out and dead_runs(project)
        refused = project.run(status=1, env=NOBODY)
        assert "engine" in refused.text and project.job_states()["b/long"] == "FAILED engine"
        assert api.containers(filters=label), "swept without an engine"
        done = project.run("tasks=done")
        assert "was killed; removed 1 containers" in done.err
        assert not api.containers(all=True, filters=label)
    (killed,) = [record for path in (project.root / "runs").glob("*.json") if (record := _read(path))["ended"]]
    (spans,) = [job["spans"] for job in killed["jobs"] if job["task"] == "long"]
    assert [span[0] for span in spans] == [0] and spans[0][1] >= killed["started"]  # it stands in the timeline
    check_nothing_left(project)
    assert project.run("tasks=done").err == ""


def test_journals_of_others_are_left_alone(project: Project) -> None:
    """A torn journal, a foreign one, a copy: none of them is an owner that may be swept."""
    project.benchmark("b", {"t": SCORE % 1})
    project.run()
    runs = project.root / "runs"
    (runs / "torn.owner").write_text("{")
    (runs / "empty.owner").write_text("")
    copied = '{"run_id": "copied", "pid": 1, "start_time": 1, "boot_id": "x", "pid_ns": 1, "host": "y", "inode": 7}'
    (runs / "copied.owner").write_text(copied)
    done = project.run()
    assert done.err == ""
    assert {path.name for path in runs.glob("*.owner")} == {"torn.owner", "empty.owner", "copied.owner"}
