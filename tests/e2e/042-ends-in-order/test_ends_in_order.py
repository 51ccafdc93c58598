"""However a run is told to end, and however often: containers go, exit status 130, within a bounded time."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from killing import (
    builders,
    buildkit_client,
    check_files,
    check_nothing_left,
    client,
    dead_runs,
    end_of,
    forget_results,
    start,
)
from project import SCORE, Project, wait_until

STUBBORN = "trap '' TERM INT HUP; while :; do sleep 1; done"
GRACE = 3.0
Process = subprocess.Popen[str]


@pytest.fixture(scope="module")
def stubborn(lasting_project: Project) -> Project:
    """A workspace whose image is there, and whose tasks ignore every signal that can be ignored."""
    lasting_project.benchmark("b", {"quick": SCORE % 1, **{f"t{i}": STUBBORN for i in range(4)}})
    lasting_project.run("tasks=quick")
    return lasting_project


def interrupt_again(process: Process) -> None:
    """Press Ctrl-C, and again and again while containers are being removed."""
    for _ in range(6):
        process.send_signal(signal.SIGINT)
        time.sleep(0.6)


def all_at_once(process: Process) -> None:
    """Send every signal as fast as one can."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) * 10:
        process.send_signal(number)


def to_the_group(process: Process) -> None:
    """Send TERM to the process group, as service managers do."""
    os.killpg(process.pid, signal.SIGTERM)


def hang_up(process: Process) -> None:
    """Close the terminal."""
    os.killpg(process.pid, signal.SIGHUP)


@pytest.mark.parametrize("end", (interrupt_again, all_at_once, to_the_group, hang_up), ids=lambda end: end.__name__)
def test_a_run_of_stubborn_tasks_ends(stubborn: Project, end: Callable[[Process], None]) -> None:
    """End it while four containers that ignore TERM are running."""
    forget_results(stubborn)
    process = start(stubborn)
    try:
        wait_until(lambda: bool(stubborn.artifacts("b", "quick")) or process.poll() is not None)
        wait_for_containers(stubborn, 4, process)
        began = time.monotonic()
        end(process)
        done = end_of(process)
    finally:
        process.kill()  # whatever happened, the next test starts in peace
    assert time.monotonic() - began < GRACE + 5
    assert done.status == 130, done.text
    assert "Traceback" not in done.text and "internal error" not in done.text, done.text
    assert done.err.count("stopping; containers are being removed") == 1
    check_nothing_left(stubborn)
    check_files(stubborn)
    states = stubborn.job_states()
    assert {state for job, state in states.items() if job != "b/quick"} == {"FAILED cancelled"}
    assert states["b/quick"] == "COMPLETED"


def test_ctrl_c_before_the_first_job(stubborn: Project) -> None:
    """End it at any moment of its start: no traceback of ours, nothing left."""
    for after in (0.15, 0.3, 0.45):
        forget_results(stubborn)
        process = start(stubborn)
        time.sleep(after)
        process.send_signal(signal.SIGTERM)
        done = end_of(process)
        assert done.status in (130, -signal.SIGTERM), done.text
        if dead_runs(stubborn):
            stubborn.run("tasks=quick")
        check_nothing_left(stubborn)


@pytest.mark.skipif(not buildkit_client(), reason="no docker client here builds with BuildKit")
def test_the_docker_client_of_a_killed_run_ends(project: Project) -> None:
    """Kill a run that builds: its docker client ends by itself, before any next start."""
    project.write("benchrouter.yaml", "site: {build_network: none}\n")
    nonce = f"nonce-{time.time_ns()}"
    project.benchmark("b", {"t": SCORE % 1}, dockerfile=f"FROM debian:bookworm-slim\nRUN sleep 60; echo {nonce}\n")
    process = start(project)
    wait_until(lambda: steps_of(nonce) > 0)
    dead = dead_runs(project)
    assert builders(dead)
    process.kill()
    end_of(process)
    wait_until(lambda: not builders(dead), 8)
    wait_until(lambda: not steps_of(nonce), 8)
    project.write("benchmarks/b/environments/b/Dockerfile", "FROM debian:bookworm-slim\n")
    project.run()
    check_nothing_left(project)


def wait_for_containers(project: Project, count: int, process: Process) -> None:
    """Wait until so many containers of a workspace run."""
    with client() as api:
        label = {"label": f"benchrouter.workspace={project.id}", "status": "running"}
        wait_until(lambda: len(api.containers(filters=label)) >= count or process.poll() is not None)


def steps_of(nonce: str) -> int:
    """Count shells that execute a build step with this nonce; the host sees those in containers too."""
    return sum(f"sleep 60; echo {nonce}".encode() in _command(place) for place in Path("/proc").glob("[0-9]*"))


def _command(place: Path) -> bytes:
    try:
        return (place / "cmdline").read_bytes()
    except OSError:
        return b""
