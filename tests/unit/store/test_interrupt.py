"""Ending a living owner from beside it: only a process that certainly is that owner gets a signal."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from benchrouter.store import journal
from benchrouter.store.journal import Journal
from benchrouter.store.problems import StoreError
from benchrouter.store.workspace import Workspace


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    """An empty workspace."""
    return Workspace(tmp_path).ensure()


OWNER = """
import sys, time
from pathlib import Path
from benchrouter.store.journal import Journal
from benchrouter.store.workspace import Workspace

with Journal.open(Workspace(Path(sys.argv[1]))):
    print("open", flush=True)
    time.sleep(30)
"""


def test_the_owner_gets_what_ctrl_c_sends(ws: Workspace) -> None:
    """A process of its own, which ends in order and takes its entry off."""
    words = [sys.executable, "-c", OWNER, str(ws.root)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "open\n"
        (owner,) = journal.living(ws)
        assert owner.pid == child.pid
        journal.interrupt(ws, owner)
        assert "KeyboardInterrupt" in child.communicate(timeout=10)[1]
    assert journal.living(ws) == [] and not list(ws.runs.iterdir())
    with pytest.raises(StoreError, match="not under way any more"):
        journal.interrupt(ws, owner)


@pytest.mark.parametrize(
    ("fact", "value", "said"),
    [
        ("start_time", 1, "is another one by now"),
        ("boot_id", "another", "elsewhere"),
        ("pid_ns", 1, "elsewhere"),
        ("pid", 1 << 22, "No such process|Invalid argument"),
    ],
)
def test_a_process_that_may_be_another_gets_nothing(ws: Workspace, fact: str, value: object, said: str) -> None:
    """A number that was used again, another machine on the same files, another container."""
    with Journal.open(ws) as mine, pytest.raises(StoreError, match=said):
        journal.interrupt(ws, dataclasses.replace(mine.owner, **{fact: value}))  # type: ignore[arg-type]
