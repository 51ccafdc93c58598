"""One holder per key among real processes, whatever is unlinked or killed meanwhile."""

from __future__ import annotations

import mmap
import os
import random
import signal
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benchrouter.store import layout, locks
from benchrouter.store.problems import StoreError
from benchrouter.store.workspace import Workspace

Fork = Callable[[Callable[[], None]], int]
Until = Callable[..., None]


class Witness:
    """Shared memory that sees two living holders at once, and counts the turns."""

    def __init__(self) -> None:
        self.memory = mmap.mmap(-1, 16)

    def enter(self) -> None:
        holder = struct.unpack_from("q", self.memory, 0)[0]
        assert holder == 0 or not _lives(holder), f"{holder} holds it too"
        struct.pack_into("q", self.memory, 0, os.getpid())

    def leave(self) -> None:
        assert struct.unpack_from("q", self.memory, 0)[0] == os.getpid(), "somebody came in"
        struct.pack_into("q", self.memory, 8, self.turns + 1)
        struct.pack_into("q", self.memory, 0, 0)

    @property
    def turns(self) -> int:
        return int(struct.unpack_from("q", self.memory, 8)[0])


def _lives(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def _widen_the_window(event: str, _: object) -> None:
    """Sleep now and then between the opening of a lock file and its flock, where a release can slip in."""
    if event == "fcntl.flock" and random.random() < 0.3:
        time.sleep(random.uniform(0, 0.002))


def _take_turns(ws: Workspace, witness: Witness, count: int, pause: float = 0.0) -> None:
    sys.addaudithook(_widen_the_window)
    random.seed(os.getpid())
    for _ in range(count):
        held = locks.lock(ws, "k", timeout=60)
        assert held is not None
        with held:
            witness.enter()
            if random.random() < 0.2:
                time.sleep(0.0005)
            witness.leave()
        time.sleep(pause)


def test_processes_racing_on_one_key_while_files_are_unlinked(ws: Workspace, fork: Fork) -> None:
    witness = Witness()
    children = [fork(lambda: _take_turns(ws, witness, 60)) for _ in range(5)]
    for pid in children:
        assert os.waitpid(pid, 0)[1] == 0
    assert witness.turns == 5 * 60
    assert not list((ws.cache / "locks").iterdir())  # no file stays behind


def test_killed_holders_never_let_two_in(ws: Workspace, fork: Fork) -> None:
    witness = Witness()
    random.seed(3)
    victims = {fork(lambda: _take_turns(ws, witness, 10**9, 0.002)) for _ in range(4)}
    worker = fork(lambda: _take_turns(ws, witness, 40, 0.001))
    for _ in range(15):
        time.sleep(random.uniform(0.002, 0.02))
        victim = victims.pop()
        os.kill(victim, signal.SIGKILL)
        assert os.WTERMSIG(os.waitpid(victim, 0)[1]) == signal.SIGKILL  # it had not failed before
        victims.add(fork(lambda: _take_turns(ws, witness, 10**9, 0.002)))
    assert os.waitpid(worker, 0)[1] == 0
    for victim in victims:
        os.kill(victim, signal.SIGKILL)
        assert os.WTERMSIG(os.waitpid(victim, 0)[1]) == signal.SIGKILL
    locks.remove_free(ws)
    assert not list((ws.cache / "locks").iterdir())


def test_a_waiter_gets_the_lock_when_its_holder_is_killed(ws: Workspace, fork: Fork, until: Until) -> None:
    def hold() -> None:
        assert locks.try_lock(ws, "k")
        time.sleep(60)

    pid = fork(hold)
    until(lambda: layout.lock_file(ws, "k").exists() and locks.lock(ws, "k", timeout=0) is None)
    started = time.monotonic()
    threading.Timer(0.2, os.kill, (pid, signal.SIGKILL)).start()
    held = locks.lock(ws, "k", timeout=60)
    assert held is not None and 0.15 < time.monotonic() - started < 10
    held.release()


def test_threads_of_one_process_exclude_each_other(ws: Workspace) -> None:
    first = locks.try_lock(ws, "k")
    assert first is not None
    assert locks.try_lock(ws, "k") is None
    other = locks.try_lock(ws, "other")
    assert other is not None
    other.release()
    first.release()
    first.release()  # a second release is no error
    again = locks.try_lock(ws, "k")
    assert again is not None
    again.release()


def test_locks_leak_no_descriptors(ws: Workspace) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        with locks.lock(ws, "k") or pytest.fail("not free"):
            assert locks.try_lock(ws, "k") is None
    assert len(os.listdir("/proc/self/fd")) == before


def test_waiting_ends_at_its_timeout_and_when_cancelled(ws: Workspace) -> None:
    held = locks.try_lock(ws, "k")
    assert held is not None
    started = time.monotonic()
    assert locks.lock(ws, "k", timeout=0.1) is None
    cancelled = threading.Event()
    threading.Timer(0.1, cancelled.set).start()
    assert locks.lock(ws, "k", cancelled=cancelled) is None
    assert time.monotonic() - started < 10
    held.release()


def test_emptying_the_cache_under_a_holder_takes_nobody_elses_file(ws: Workspace) -> None:
    first = locks.try_lock(ws, "k")
    assert first is not None
    layout.lock_file(ws, "k").unlink()
    second = locks.try_lock(ws, "k")
    assert second is not None
    first.release()
    assert locks.try_lock(ws, "k") is None  # still the second one's
    second.release()


def test_remove_free_spares_the_held(ws: Workspace) -> None:
    held = locks.try_lock(ws, "held")
    assert held is not None
    layout.lock_file(ws, "free").touch()
    assert locks.remove_free(ws) == 1
    assert [path.stem for path in (ws.cache / "locks").iterdir()] == ["held"]
    held.release()


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user, which only root can")
def test_a_lock_file_of_another_user_is_a_clear_error(fork: Fork) -> None:
    with (
        tempfile.TemporaryDirectory() as root
    ):  # not below pytest's own directory, which others may not enter
        Path(root).chmod(0o755)
        ws = Workspace(Path(root)).ensure()
        held = locks.try_lock(ws, "k")
        assert held is not None
        layout.lock_file(ws, "k").chmod(0o600)

        def body() -> None:
            os.setuid(65534)
            with pytest.raises(StoreError, match="not yours to lock"):
                locks.try_lock(ws, "k")

        assert os.waitpid(fork(body), 0)[1] == 0
        held.release()
