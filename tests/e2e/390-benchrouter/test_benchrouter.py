"""A run by the `benchrouter` command: its events, looked at from beside it, its logs followed, cancelled in order."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from benchrouter.make.scaffolding import make_workspace

COMMAND = [sys.executable, "-m", "benchrouter"]


def call(root: Path, *words: str, deadline: float = 60) -> tuple[int, Any, str]:
    """Call the command; give its status, what it says as JSON, and its stderr."""
    done = subprocess.run(
        [*COMMAND, *words, "--json"], cwd=root, capture_output=True, text=True, timeout=deadline, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(line["version"] == 1 for line in lines)
    return done.returncode, lines[-1], done.stderr


def until_it_runs(root: Path) -> dict[str, Any]:
    """Wait until the job is at work, and give what `eval status` says of the run."""
    for _ in range(100):
        _, told, _ = call(root, "eval", "status")
        if told.get("running") and told["running"][0]["node"].startswith("job:"):
            return dict(told)
        time.sleep(0.2)
    raise AssertionError(told)


@pytest.fixture
def workspace(tmp_path: Path, repository: Path) -> Path:
    """A new workspace whose only task says something and then waits to be told."""
    make_workspace(tmp_path, "first")
    local = repository / "benchrouter.local.yaml"
    if local.exists():
        (tmp_path / local.name).write_bytes(local.read_bytes())
    task = tmp_path / "benchmarks" / "first" / "capitals"
    (task / "task.yaml").write_text("name: c\ncommand: echo begun; sleep ${WAIT-0}; exec python3 run.py\n")
    return tmp_path


def test_a_run_is_watched_followed_and_cancelled(workspace: Path) -> None:
    """Cancelled like Ctrl-C: status 130, the job CANCELLED, nothing left; the next run is a whole one."""
    words = [*COMMAND, "run", "first", "--model", "demo", "--env", "WAIT=40", "--json"]
    began = time.monotonic()
    with subprocess.Popen(words, cwd=workspace, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        try:
            told = until_it_runs(workspace)
            assert told["state"] == "RUNNING" and told["counts"] == {"RUNNING": 1}
            follow = subprocess.Popen(
                [*COMMAND, "logs", "first/capitals", "--follow"], cwd=workspace, stdout=subprocess.PIPE, text=True
            )
            status, cancelled, _ = call(workspace, "eval", "cancel", "-r", told["run_id"][-8:], "--wait")
            assert (status, cancelled["ended"], cancelled["pid"]) == (0, True, run.pid)
            out, err = run.communicate(timeout=30)
            assert "begun" in follow.communicate(timeout=10)[0] and follow.returncode == 0
        finally:
            run.send_signal(signal.SIGINT)
    assert run.returncode == 130 and time.monotonic() - began < 35, err
    events = [json.loads(line) for line in out.splitlines()]
    about_it = [event for event in events[:-1] if event["event"] == "begin" or event.get("node", "").startswith("job:")]
    assert [event["event"] for event in about_it] == ["begin", "started", "ended"]  # images may be built before
    assert events[-1]["kind"] == "run" and events[-1]["jobs"][0]["reason"] == "cancelled"
    assert [path.suffix for path in (workspace / "runs").iterdir()] == [".json"]

    status, result, _ = call(workspace, "run", "--model", "demo")
    assert (status, result["state"], result["aggregates"][0]["overall"]) == (0, "COMPLETED", 0.8)
    status, shown, _ = call(workspace, "eval", "result", "--run-id", result["run_id"])
    assert status == 0 and shown["aggregates"] == result["aggregates"]
    _, logs, _ = call(workspace, "logs", "first/capitals@demo", "--tail", "2")
    assert len(logs["files"][0]["text"].splitlines()) == 2 and logs["state"] == "COMPLETED"
    status, _, err = call(workspace, "eval", "cancel", "--run-id", result["run_id"])
    assert status == 2 and "is not under way" in err


def test_only_what_has_failed_runs_again(workspace: Path) -> None:
    """Not what never ran, nor what has completed; the exit status is that of these jobs."""
    benchmark = workspace / "benchmarks" / "first"
    for name, command in (("bad", "echo sorry >&2; exit 3"), ("never", "exit 4")):
        (benchmark / name).mkdir()
        (benchmark / name / "task.yaml").write_text(f"name: {name}\ncommand: {command}\n")
    tasks = "".join(f"  - name: {name}\n" for name in ("capitals", "bad", "never"))
    (benchmark / "benchmark.yaml").write_text(f"name: first\ntasks:\n{tasks}")
    assert call(workspace, "run", "first", "-m", "demo", "--tasks", "capitals,bad")[0] == 1
    status, again, _ = call(workspace, "run", "first", "-m", "demo", "--failed")
    assert status == 1 and [(job["task"], job["reason"]) for job in again["jobs"]] == [("bad", "exit_code")]
    assert again["failures"][0]["nodes"] == ["job:first/bad@demo"] and again["failures"][0]["log_tail"] == "sorry"
    assert again["aggregates"][0]["coverage"] == {"completed": 1, "declared": 3}
    assert call(workspace, "logs", "first/bad")[1]["files"][0] == {"name": "stdout.log", "text": ""}


def test_new_benchmarks_run_at_once(workspace: Path) -> None:
    """A service beside the task, and a tool that exists already: scores from the demo model, wrong once on purpose."""
    for name in ("sidecar", "bridge"):
        assert call(workspace, "benchmark", "new", f"my-{name}", f"--{name}")[0] == 0
    status, told, err = call(workspace, "run", "my-sidecar", "my-bridge", "--model", "demo")
    assert status == 0, (told["failures"], err)
    overall = {one["benchmark_name"]: one["overall"] for one in told["aggregates"]}
    assert overall == {"my-sidecar": pytest.approx(2 / 3), "my-bridge": 0.75}


def test_images_alone_were_called_failed_when_they_were_built(workspace: Path) -> None:
    """The state says what the exit status does, and no id is given under which no record is."""
    for words in ("env build", "env build first", "run --node image:first/first -m demo", "run first --failed -m demo"):
        status, told, err = call(workspace, *words.split())
        assert (status, told["kind"], told["state"], told["run_id"]) == (0, "run", "COMPLETED", None), (words, err)
    (workspace / "benchmarks/first/environments/first/Dockerfile").write_text("FROM debian:bookworm-slim\nRUN exit 3\n")
    for words in ("env build", "run --node image:first/first -m demo"):
        status, told, _ = call(workspace, *words.split())
        assert (status, told["state"], told["run_id"]) == (1, "FAILED", None)
        assert told["failures"][0]["nodes"] == ["image:first/first"]
    assert call(workspace, "eval", "list")[1]["evaluations"] == []


def test_a_new_benchmark_with_a_daemon_of_its_own_runs_at_once(workspace: Path) -> None:
    """It was written by `benchmark new --dind` and never run: sound, built, its sandbox preloaded, and scored."""
    assert call(workspace, "benchmark", "new", "my-dind", "--dind")[0] == 0
    status, told, _ = call(workspace, "benchmark", "validate", "my-dind")
    assert (status, told["sound"], told["problems"]) == (0, True, [])
    status, told, err = call(workspace, "run", "my-dind", "--model", "demo", "--no-cache", deadline=400)
    assert status == 0, (told["failures"], err)
    assert [(job["task"], job["overall"], job["items"]) for job in told["jobs"]] == [
        ("functions", pytest.approx(2 / 3), {"judged": 3, "selected": 3})
    ]
