"""SIGKILL at every step: nothing half-written is ever taken for a result, and the next start gets through."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

from benchrouter.store import journal, layout, locks, runs, stale
from benchrouter.store.atomic import write_atomic
from benchrouter.store.jobid import JobId
from benchrouter.store.results import completed, find, last_failure, publish, read_failure, record_failure
from benchrouter.store.states import Reason
from benchrouter.store.workspace import Workspace

ID = JobId("b", "t", "openai/gpt-4o")
KEY = "0" * 32
Stage = Callable[..., Path]
Killed = Callable[..., int]
Fork = Callable[[Callable[[], None]], int]


def artifacts(ws: Workspace) -> list[Path]:
    return [path for path in layout.task_dir(ws, ID).glob("[!.]*") if path.name != "failed"]


def test_publish_killed_at_every_step(ws: Workspace, stage: Stage, killed_at_every_step: Killed) -> None:
    def body() -> None:
        publish(ws, ID, KEY, stage(ws, ID, KEY))

    def check() -> None:
        assert all(find(ws, ID, path.name) for path in artifacts(ws))  # whole, or not there

    assert killed_at_every_step(body, check) > 15
    assert find(ws, ID, KEY) is not None


def test_publish_over_a_torn_artifact_killed_at_every_step(
    ws: Workspace, stage: Stage, killed_at_every_step: Killed
) -> None:
    target = layout.job_dir(ws, ID, KEY)

    def body() -> None:
        target.mkdir(parents=True, exist_ok=True)
        if find(ws, ID, KEY) is None:
            (target / "result.json").write_text('{"overall": 1.0, "raw')
        publish(ws, ID, KEY, stage(ws, ID, KEY))

    def check() -> None:
        found = find(ws, ID, KEY)
        assert found is None or found.overall == 0.5  # the torn 1.0 is never read

    assert killed_at_every_step(body, check) > 15
    assert find(ws, ID, KEY) is not None


def test_a_replaced_artifact_is_there_at_every_step(
    ws: Workspace, stage: Stage, killed_at_every_step: Killed
) -> None:
    publish(ws, ID, KEY, stage(ws, ID, KEY, overall=0.25))

    def body() -> None:
        publish(ws, ID, KEY, stage(ws, ID, KEY, overall=0.75), replace=True)

    def check() -> None:
        found = find(ws, ID, KEY)
        assert found is not None and found.overall in (0.25, 0.75)

    assert killed_at_every_step(body, check) > 15
    assert getattr(find(ws, ID, KEY), "overall", None) == 0.75


def test_record_failure_killed_at_every_step(
    ws: Workspace, stage: Stage, killed_at_every_step: Killed
) -> None:
    seen: list[int] = []

    def body() -> None:
        record_failure(ws, ID, KEY, stage(ws, ID, KEY, reason=Reason.TIMEOUT), keep=3)

    def check() -> None:
        names = os.listdir(layout.failed_dir(ws, ID)) if layout.failed_dir(ws, ID).exists() else []
        numbers = sorted(int(name) for name in names if not name.startswith("."))
        assert all(read_failure(layout.failed_dir(ws, ID) / str(n)) for n in numbers)
        newest = numbers[-1] if numbers else 0
        assert newest >= (seen[-1] if seen else 0)  # numbers grow, also across deaths
        seen.append(newest)

    assert killed_at_every_step(body, check) > 20
    assert last_failure(ws, ID, KEY) is not None
    assert len(list(layout.failed_dir(ws, ID).glob("[0-9]*"))) == 3  # the one that got through pruned for all
    stale.sweep_temporaries(ws, older_than=-1)
    assert not list(layout.failed_dir(ws, ID).glob(".*"))


def test_journal_killed_at_every_step(ws: Workspace, killed_at_every_step: Killed) -> None:
    visible = 0

    def body() -> None:
        with journal.Journal.open(ws):
            pass

    def check() -> None:
        nonlocal visible
        entries = list(ws.runs.glob("*.owner"))
        dead = journal.dead_owners(ws)
        assert len(entries) == len(dead) <= 1  # what is visible is whole, and known to be dead
        for owner in dead:
            visible += 1
            journal.forget(ws, owner)

    assert killed_at_every_step(body, check) > 5
    assert visible > 0
    assert not list(ws.runs.glob("*.owner"))


def test_lock_killed_at_every_step(ws: Workspace, killed_at_every_step: Killed) -> None:
    def body() -> None:
        with locks.lock(ws, KEY, timeout=5) or open("/nonexistent"):
            pass

    def check() -> None:
        held = locks.try_lock(ws, KEY)
        assert held is not None  # a dead holder holds nothing
        held.release()
        assert not layout.lock_file(ws, KEY).exists()

    assert killed_at_every_step(body, check) == 3  # open, flock, unlink


def test_write_atomic_killed_at_every_step(ws: Workspace, killed_at_every_step: Killed) -> None:
    path = ws.results / "aggregate.json"
    old, new = b"old" * 1000, b"new" * 1000
    path.write_bytes(old)

    assert killed_at_every_step(lambda: write_atomic(path, new), lambda: _either(path, old, new)) > 2
    assert path.read_bytes() == new


def _either(path: Path, old: bytes, new: bytes) -> None:
    assert path.read_bytes() in (old, new)


def test_workspace_id_killed_at_every_step(tmp_path: Path, killed_at_every_step: Killed) -> None:
    ws = Workspace(tmp_path)
    ids = set()

    def check() -> None:
        known = ws.peek_id()
        ids.add(known)
        assert not ws.id_file.exists() or known

    assert killed_at_every_step(lambda: ws.ensure() and None, check) > 5
    assert len(ids - {None}) == 1  # once made, it stays


def test_run_record_killed_at_every_step(ws: Workspace, killed_at_every_step: Killed) -> None:
    record = runs.RunRecord("r", ("run",), {}, ("m",), ("b",), 1.0)

    def check() -> None:
        _, torn = runs.history(ws)
        assert not torn

    assert killed_at_every_step(lambda: runs.save(ws, record) and None, check) > 3
    assert runs.load(ws, "r") == record


def test_killed_at_random_moments_while_publishing_many(ws: Workspace, stage: Stage, fork: Fork) -> None:
    """As a run does: journal, lock, look, publish or record, verify; killed 25 times in the middle."""
    jobs = [(JobId("b", f"t{n:02d}", "m"), f"{n:032x}") for n in range(40)]
    random.seed(7)

    def body() -> None:
        with journal.Journal.open(ws):
            for id, key in jobs:
                held = locks.lock(ws, key, timeout=5)
                assert held
                with held:
                    if find(ws, id, key) is None:
                        record_failure(ws, id, key, stage(ws, id, key, reason=Reason.OOM), keep=2)
                        publish(ws, id, key, stage(ws, id, key))
            completed(ws, jobs, remember=True)

    done: set[JobId] = set()
    longest = 0.06
    for _ in range(25):
        pid = fork(body)
        time.sleep(random.uniform(0.0, longest))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        now = set(completed(ws, jobs, remember=True))
        assert done <= now  # nothing that was finished is lost
        done = now
        longest = longest if done else longest * 1.3  # other work on this machine slows children down
        for owner in journal.dead_owners(ws):
            assert stale.remove_attempts(ws, owner.run_id) == []
            journal.forget(ws, owner)
    assert done, "no child got far enough to publish"
    body()
    found = completed(ws, jobs)
    assert len(found) == len(jobs) and all(job.overall == 0.5 for job in found.values())
    stale.clean_stale(ws, jobs)
    stale.sweep_temporaries(ws, older_than=-1)
    assert not list(ws.root.rglob(".*.tmp")) and not list((ws.cache / "locks").iterdir())
