"""A workspace of its own for each test, attempts to put into it, and children that really die."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchrouter.store import layout, results
from benchrouter.store.jobid import JobId
from benchrouter.store.states import JobState, Outcome, Reason
from benchrouter.store.workspace import Workspace


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    root = tmp_path / "work space's ünïcode"
    root.mkdir()
    return Workspace(root).ensure()


@pytest.fixture
def stage() -> Callable[..., Path]:
    """Stage one attempt: completed by default, failed when a reason is given."""

    def make(
        ws: Workspace,
        id: JobId,
        key: str,
        *,
        overall: float = 0.5,
        reason: Reason | None = None,
        run_id: str = "run",
        raw: Any = None,
        inputs: dict[str, Any] | None = None,
    ) -> Path:
        staging = layout.fresh_attempt(ws, run_id)
        (staging / "output").mkdir()
        (staging / "output" / "result.json").write_text("{}")
        state = JobState.FAILED if reason else JobState.COMPLETED
        score = None if reason else overall
        outcome = Outcome(state, reason, detail="because" if reason else "", overall=score, seconds=1.25)
        results.write_documents(
            staging, id, key, outcome, inputs=inputs or {}, provenance={}, run_id=run_id, raw_metrics=raw
        )
        return staging

    return make


@pytest.fixture
def fork() -> Iterator[Callable[[Callable[[], None]], int]]:
    """Run a function in a real child process; what is still alive at the end of the test is killed."""
    children: list[int] = []

    def start(body: Callable[[], None]) -> int:
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                body()
                status = 0
            except BaseException as error:
                print(repr(error), file=sys.stderr, flush=True)
            finally:
                os._exit(status)
        children.append(pid)
        return pid

    yield start
    for pid in children:
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


@pytest.fixture
def until() -> Callable[..., None]:
    """Wait for a condition, 10 seconds at most."""

    def wait(condition: Callable[[], Any]) -> None:
        deadline = time.monotonic() + 10
        while not condition():
            assert time.monotonic() < deadline, "waited in vain"
            time.sleep(0.002)

    return wait


@pytest.fixture
def killed_at_every_step(fork: Callable[[Callable[[], None]], int]) -> Callable[..., int]:
    """Run a function again and again, each time killed one file operation later, until it gets through.

    After each death `check` is called; the number of deaths is returned.
    """

    def run(body: Callable[[], None], check: Callable[[], None]) -> int:
        for step in range(1, 2000):
            pid = fork(lambda step=step: _die_at(step, body))  # type: ignore[misc]
            _, status = os.waitpid(pid, 0)
            check()
            if os.WIFEXITED(status):
                assert os.WEXITSTATUS(status) == 0
                return step - 1
            assert os.WTERMSIG(status) == signal.SIGKILL
        raise AssertionError("never got through")

    return run


def _die_at(step: int, body: Callable[[], None]) -> None:
    left = step

    def count(event: str, _: object) -> None:
        nonlocal left
        if event == "open" or event.startswith(("os.", "shutil.", "fcntl.")):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    body()
