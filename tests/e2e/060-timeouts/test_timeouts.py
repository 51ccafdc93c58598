"""A task that does not want to end is ended, seen to be gone, and what it did until then is kept."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from project import Project, containers_of
from verdicts import Case, check_cases, last_failure, write_cases

GRACE = 10.0  # the contract's, between TERM and KILL
TIMEOUT = 2.0
MARKER_AFTER = TIMEOUT + GRACE + 2
GOOD = """echo '{"overall": 0.5}' >"$BENCHROUTER_OUTPUT_DIR/result.json" """


@pytest.fixture
def door() -> Iterator[socket.socket]:
    """A socket that a task can knock at: a marker that needs no directory to live in."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def knocked(door: socket.socket) -> bool:
    """Tell whether anyone has connected."""
    with contextlib.suppress(BlockingIOError):
        door.accept()[0].close()
        return True
    return False


def alive(token: str) -> list[str]:
    """List the processes of this machine, inside containers and out, that have a token in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if token.encode() in path.read_bytes():
                found.append(path.parent.name)
    return found


def test_task_that_ignores_term_is_killed_and_its_marker_never_appears(project: Project, door: socket.socket) -> None:
    """Timeout, TERM, grace, KILL; log and partial output are kept, a good result among it does not count."""
    port, token = door.getsockname()[1], f"token-{os.urandom(8).hex()}"
    stubborn = f"""
        trap '' TERM
        cd "$BENCHROUTER_OUTPUT_DIR"
        echo begun; echo complaint >&2
        echo part >partial; mkdir deep; echo more >deep/file
        {GOOD}
        n=0; while [ $n -lt {MARKER_AFTER:.0f} ]; do sleep 1; n=$((n + 1)); done
        touch marker; echo after; bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}'
    """
    obedient = "trap 'echo told; exit 0' TERM\necho begun\nsleep 60 & wait"
    holder = f"(trap '' TERM HUP; sleep 61) & {GOOD}"
    detached = f"setsid nohup sh -c 'sleep 61; echo late' & {GOOD}"
    cases = [
        Case("stubborn", stubborn, "timeout", ("still running after 2 s", "timeout:"), f"timeout: {TIMEOUT:g}\n"),
        Case("obedient", obedient, "timeout", ("still running after 2 s",), f"timeout: {TIMEOUT:g}\n"),
        Case("holder", holder, "COMPLETED 0.5"),
        Case("detached", detached, "COMPLETED 0.5"),
    ]
    write_cases(project, "b", cases)
    project.run("bench=b", "tasks=holder", f"MARK={token}", status=0)  # builds the image: not to be timed

    began = time.monotonic()
    done = project.run(f"MARK={token}", status=1)
    took = time.monotonic() - began
    check_cases(project, done, "b", [case for case in cases if case.name != "holder"])
    seconds = {job["task"]: job["seconds"] for job in project.newest_run()["jobs"]}
    assert took < TIMEOUT + GRACE + 5
    assert seconds["stubborn"] < TIMEOUT + GRACE + 5 and seconds["obedient"] < TIMEOUT + 5
    assert seconds["holder"] < 5 and seconds["detached"] < 5, "a background process delayed the end of a job"

    kept = last_failure(project, "b", "stubborn")
    assert (kept / "logs/stdout.log").read_text() == "begun\n"
    assert (kept / "logs/stderr.log").read_text() == "complaint\n"
    assert (kept / "output/partial").read_text() == "part\n"
    assert (kept / "output/deep/file").read_text() == "more\n"
    assert (last_failure(project, "b", "obedient") / "logs/stdout.log").read_text() == "begun\ntold\n"
    assert f"logs:   {kept}/logs/" in done.out and "  | begun" in done.out

    assert containers_of(project.id) == [] and alive(token) == []
    time.sleep(max(0.0, began + MARKER_AFTER + 1.5 - time.monotonic()))
    assert not knocked(door), "the task went on after its end was reported"
    assert not list(project.root.rglob("marker"))
    aggregate = project.newest_run()
    assert aggregate["state"] == "PARTIAL"
