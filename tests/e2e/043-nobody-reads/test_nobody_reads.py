"""Output that nobody reads does not end a run in the middle; only a signal does."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest
from killing import check_files, check_nothing_left, end_of, forget_results, start
from project import DOIT, SCORE, Project

RUN = f"exec {DOIT} run model=m preflight=0"


@pytest.fixture(scope="module")
def ready(lasting_project: Project) -> Project:
    """A workspace with its image, and one failing task, so that the exit status has something to tell."""
    tasks = {**{f"t{i}": f"sleep 0.3; {SCORE % 0.5}" for i in range(6)}, "x": "exit 3"}
    lasting_project.benchmark("b", tasks)
    lasting_project.run(status=1)
    return lasting_project


def shell(project: Project, script: str) -> int:
    """Run a shell script in the workspace."""
    env = project.full_environment()
    return subprocess.run(["/bin/sh", "-c", script], cwd=project.root, env=env, timeout=60, check=False).returncode


@pytest.mark.parametrize("closed", ("2>&-", ">&- 2>&- <&-", ">/dev/full 2>/dev/full"))
def test_closed_or_full_streams(ready: Project, closed: str) -> None:
    """Close streams before the start, or send them where every write fails."""
    forget_results(ready)
    assert shell(ready, f"{RUN} {closed}") == 1
    assert ready.aggregate("b")["coverage"] == {"completed": 6, "declared": 7}
    check_nothing_left(ready)
    check_files(ready)


def test_a_reader_that_leaves(ready: Project) -> None:
    """Read one line, then go: the run ends as it would have, and says so by its exit status."""
    forget_results(ready)
    process = start(ready)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    process.stderr.close()
    assert process.wait(60) == 1
    assert ready.aggregate("b")["coverage"] == {"completed": 6, "declared": 7}
    check_nothing_left(ready)


def test_a_signal_when_nobody_reads(ready: Project) -> None:
    """The message about the end has nowhere to go either."""
    forget_results(ready)
    process = start(ready)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    process.stderr.close()
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 130
    check_nothing_left(ready)


def test_nohup_goes_on(ready: Project) -> None:
    """A run that was started to ignore HUP goes on when the terminal closes."""
    forget_results(ready)

    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    process = start(ready, preexec_fn=ignore)
    time.sleep(0.8)
    os.killpg(process.pid, signal.SIGHUP)
    assert end_of(process, 60).status == 1
    assert ready.aggregate("b")["coverage"] == {"completed": 6, "declared": 7}


def test_other_commands_end_quietly(ready: Project) -> None:
    """`doit list | head -1` prints no traceback."""
    env = ready.full_environment()
    for command in ("plan model=m", "graph model=m", "explain job:b/t0@m model=m"):
        piped = f"{DOIT} {command} | head -c 1"
        done = subprocess.run(
            ["/bin/sh", "-c", piped], cwd=ready.root, env=env, capture_output=True, text=True, check=False
        )
        assert "Traceback" not in done.stderr and "BrokenPipe" not in done.stderr, f"{command}: {done.stderr}"
