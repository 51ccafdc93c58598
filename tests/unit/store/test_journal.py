"""An owner is dead when its kernel lock is free and nothing says that it lives."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchrouter.store import layout
from benchrouter.store.journal import Journal, Owner, dead_owners, forget, living_owners
from benchrouter.store.workspace import Workspace

Fork = Callable[[Callable[[], None]], int]
Until = Callable[..., None]


def hold(ws: Workspace, run_id: str) -> Callable[[], None]:
    def body() -> None:
        with Journal.open(ws, run_id):
            time.sleep(60)

    return body


@pytest.fixture
def killed(ws: Workspace, fork: Fork, until: Until) -> Path:
    """The entry of an owner that was killed."""
    pid = fork(hold(ws, "killed"))
    path = layout.owner_file(ws, "killed")
    until(path.exists)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return path


def rewrite(path: Path, **changes: Any) -> None:
    facts = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps(facts))  # in place: the same inode


def test_a_clean_end_leaves_nothing(ws: Workspace) -> None:
    with Journal.open(ws) as journal:
        assert journal.path.exists() and dead_owners(ws) == [] and living_owners(ws) == 1
    assert list(ws.runs.iterdir()) == []
    journal.close()  # a second close is no error


def test_the_living_are_never_dead_and_the_killed_are(ws: Workspace, fork: Fork, until: Until) -> None:
    pids = {name: fork(hold(ws, name)) for name in ("one", "two")}
    until(lambda: living_owners(ws) == 2)
    assert dead_owners(ws) == []
    os.kill(pids["one"], signal.SIGKILL)
    until(lambda: [owner.run_id for owner in dead_owners(ws)] == ["one"])  # a zombie holds nothing
    os.waitpid(pids["one"], 0)
    owner = dead_owners(ws)[0]
    assert owner.pid == pids["one"]
    forget(ws, owner)
    forget(ws, owner)
    assert dead_owners(ws) == [] and living_owners(ws) == 1


def test_an_owner_that_could_not_clean_up_leaves_its_entry_for_the_next_start(
    ws: Workspace, fork: Fork
) -> None:
    def body() -> None:
        with Journal.open(ws, "left") as journal:
            journal.abandon()

    os.waitpid(fork(body), 0)
    assert [owner.run_id for owner in dead_owners(ws)] == ["left"]


def test_probes_do_not_take_each_other_for_the_owner(ws: Workspace, killed: Path, fork: Fork) -> None:
    assert killed.exists()

    def body() -> None:
        for _ in range(300):
            assert len(dead_owners(ws)) == 1

    for pid in [fork(body) for _ in range(3)]:
        assert os.waitpid(pid, 0)[1] == 0


def test_a_child_that_was_started_by_the_owner_does_not_keep_it_alive(ws: Workspace, fork: Fork) -> None:
    def body() -> None:
        Journal.open(ws, "parent")
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(20)"])
        (ws.root / "child").write_text(str(child.pid))
        os.kill(os.getpid(), signal.SIGKILL)

    os.waitpid(fork(body), 0)
    child = int((ws.root / "child").read_text())
    try:
        assert [owner.run_id for owner in dead_owners(ws)] == ["parent"]
    finally:
        os.kill(child, signal.SIGKILL)


def test_a_free_lock_beside_a_living_process_is_left_alone(ws: Workspace, killed: Path) -> None:
    alive = Owner.this_process("killed")
    rewrite(killed, pid=alive.pid, start_time=alive.start_time)
    assert dead_owners(ws) == []


def test_a_pid_that_was_given_to_another_process_does_not_keep_the_dead_alive(
    ws: Workspace, killed: Path
) -> None:
    rewrite(killed, pid=os.getpid(), start_time=1)
    assert len(dead_owners(ws)) == 1


@pytest.mark.parametrize(
    ("changes", "dead"),
    [
        ({"boot_id": "earlier"}, True),  # this host was started again
        ({"boot_id": "other", "host": "another-host"}, False),  # another machine's, on shared files
        (
            {"pid_ns": 1, "pid": 1, "start_time": 1},
            True,
        ),  # a container on this kernel: the free lock is proof
    ],
)
def test_owners_from_elsewhere(ws: Workspace, killed: Path, changes: dict[str, Any], dead: bool) -> None:
    rewrite(killed, **changes)
    assert bool(dead_owners(ws)) is dead


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"run_id": "killed"}'])
def test_a_torn_entry_cannot_be_judged(ws: Workspace, killed: Path, content: str) -> None:
    killed.write_text(content)
    assert dead_owners(ws) == []


def test_a_workspace_that_was_copied_does_not_call_a_living_owner_dead(
    ws: Workspace, tmp_path: Path, fork: Fork, until: Until
) -> None:
    fork(hold(ws, "living"))
    until(lambda: living_owners(ws) == 1)
    rewrite(layout.owner_file(ws, "living"), pid_ns=1)  # in a container: its pid tells nothing here
    shutil.copytree(ws.root, tmp_path / "copy")
    assert dead_owners(Workspace(tmp_path / "copy")) == []


def test_a_workspace_that_was_copied_after_its_owner_was_killed_calls_it_dead(
    ws: Workspace, tmp_path: Path, killed: Path
) -> None:
    """Moved by copy and remove, it left containers and networks behind for good: the entry had another inode."""
    assert killed.exists()
    shutil.copytree(ws.root, tmp_path / "copy")
    shutil.rmtree(ws.root)
    assert [owner.run_id for owner in dead_owners(Workspace(tmp_path / "copy"))] == ["killed"]


def test_a_copy_spares_an_owner_that_lives_where_the_original_is(
    ws: Workspace, tmp_path: Path, fork: Fork, until: Until
) -> None:
    pid = fork(hold(ws, "living"))
    until(lambda: living_owners(ws) == 1)
    shutil.copytree(ws.root, tmp_path / "copy")
    copy = Workspace(tmp_path / "copy")
    assert dead_owners(copy) == []
    os.kill(pid, signal.SIGKILL)
    until(lambda: len(dead_owners(copy)) == 1)
    os.waitpid(pid, 0)
    assert len(dead_owners(copy)) == 1


def test_looking_writes_nothing(tmp_path: Path) -> None:
    assert dead_owners(Workspace(tmp_path)) == []
    assert list(tmp_path.iterdir()) == []
