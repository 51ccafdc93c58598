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


PRINTING = (
    "list",
    "list --all -s",
    "info job:b/t0@m",
    "help",
    "--help",
    "--version",
    "plan",
    "graph",
    "explain job:b/t0@m",
    "image list",
    "cachekey",
    "clean -n",
)


def quiet(project: Project, script: str, where: str = ".") -> tuple[int, str]:
    """Run a shell script; check that stderr holds no traceback and nothing of Python's own; give status and stderr."""
    env = project.full_environment()
    words = ["/bin/bash", "-c", f"set -o pipefail; {script}"]
    done = subprocess.run(
        words, cwd=project.root / where, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    for word in ("Traceback", "BrokenPipe", "Exception ignored", "AttributeError"):
        assert word not in done.stderr, f"{script}: {done.stderr}"
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", PRINTING)
def test_printing_commands_end_quietly(ready: Project, command: str) -> None:
    """`doit list | head -1` and `doit list >&-` showed tracebacks; the status is that of the command."""
    words = f"{DOIT} {command}" + ("" if command.startswith("--") else " model=m")
    for script in (f"{words} | true", f"{words} | head -c 1", f"{words} >&-", f"{words} >&- 2>&- <&-"):
        assert quiet(ready, script) == (0, ""), script


def test_below_the_workspace_too(ready: Project) -> None:
    """Where doit does not know our loader at first."""
    for command in ("list model=m", "help", "--help", "plan model=m"):
        assert quiet(ready, f"{DOIT} {command} | head -c 1", "benchmarks/b") == (0, "")
        assert quiet(ready, f"{DOIT} {command} >&-", "benchmarks/b") == (0, "")


def test_a_full_disk_is_no_quiet_end(ready: Project) -> None:
    """Who reads a file expects all of it."""
    assert quiet(ready, f"{DOIT} plan model=m >/dev/full") == (
        1,
        "doit: the output cannot be written: No space left on device\n",
    )
    for command in ("list --all", "info job:b/t0@m", "help", "graph", "explain job:b/t0@m", "clean -n", "plan"):
        status, said = quiet(ready, f"{DOIT} {command} model=m >/dev/full")
        assert (status, said) == (1, "doit: the output cannot be written: No space left on device\n"), command
