"""A builder's process group ends with us, however we end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

from benchrouter.engine.builders import OWNER_VARIABLE, end_builders, find_builders
from benchrouter.engine.guarded import run_guarded


def _wait_until(check: object, seconds: float = 10.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if check():  # type: ignore[operator]
            return True
        time.sleep(0.05)
    return False


def _environment(run: str) -> dict[str, str]:
    return {**os.environ, OWNER_VARIABLE: run}


def test_output_and_status_are_handed_on() -> None:
    lines: list[str] = []
    ended = run_guarded(
        ["/bin/sh", "-c", "echo one; printf two >&2; exit 7"],
        os.environ,
        lines.append,
        threading.Event(),
        timeout=30,
    )
    assert (ended.code, lines) == (7, ["one", "two"])


def test_a_status_of_zero_is_zero_every_time() -> None:
    codes = {
        run_guarded(["true"], os.environ, print, threading.Event(), timeout=30).code for _ in range(10)
    }
    assert codes == {0}


def test_timeout_ends_the_whole_group() -> None:
    run = f"guarded-{os.getpid()}-timeout"
    script = "sleep 1000 & sleep 1000"
    ended = run_guarded(["/bin/sh", "-c", script], _environment(run), print, threading.Event(), timeout=0.5)
    assert ended.timed_out
    assert _wait_until(lambda: not find_builders(run))


def test_cancellation_ends_a_group_that_ignores_term() -> None:
    run = f"guarded-{os.getpid()}-cancel"
    cancelled = threading.Event()
    threading.Timer(0.3, cancelled.set).start()
    script = "trap '' TERM; sleep 1000; sleep 1000"
    ended = run_guarded(["/bin/sh", "-c", script], _environment(run), print, cancelled, timeout=1000)
    assert ended.cancelled
    assert _wait_until(lambda: not find_builders(run))


def test_a_killed_parent_leaves_no_builder() -> None:
    run = f"guarded-{os.getpid()}-killed"
    program = (
        "import os, threading\n"
        "from benchrouter.engine.guarded import run_guarded\n"
        f"env = {{**os.environ, {OWNER_VARIABLE!r}: {run!r}}}\n"
        "run_guarded(['sleep', '1000'], env, print, threading.Event(), 1000)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program])
    try:
        assert _wait_until(lambda: len(find_builders(run)) >= 2)
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    assert _wait_until(lambda: not find_builders(run))


def test_the_sweep_ends_a_builder_that_was_left_and_no_other() -> None:
    mine, other = f"guarded-{os.getpid()}-left", f"guarded-{os.getpid()}-left-2"
    sleepers = [subprocess.Popen(["sleep", "1000"], env=_environment(run)) for run in (mine, other)]
    try:
        assert _wait_until(lambda: find_builders(mine) and find_builders(other))
        assert end_builders(mine) == 1
        sleepers[0].wait(60)
        assert sleepers[1].poll() is None
    finally:
        for sleeper in sleepers:
            sleeper.kill()
            sleeper.wait()
