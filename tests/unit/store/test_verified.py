from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benchrouter.store import layout
from benchrouter.store.items import ItemCounts
from benchrouter.store.jobid import JobId
from benchrouter.store.results import completed, publish
from benchrouter.store.seed import SeedJob, seed_completed
from benchrouter.store.workspace import Workspace

JOBS = [(JobId("b", f"t{n}", "m"), f"{n:032x}") for n in range(10)]
ABSENT = (JobId("b", "absent", "m"), "f" * 32)


@pytest.fixture
def seeded(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Ten finished jobs, verified and remembered as if they had been written long ago."""
    seed_completed(ws, [SeedJob(id, key, 0.5) for id, key in JOBS])
    monkeypatch.setattr("benchrouter.store.verified._RACY_NS", -60 * 10**9)
    assert len(completed(ws, JOBS, remember=True)) == 10
    monkeypatch.undo()
    return ws


def reads(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return which artifacts were read again, by task."""
    from benchrouter.store import artifact

    read: list[str] = []

    def spy(path: Path) -> artifact.CompletedJob | None:
        read.append(path.parent.name)
        return artifact.read_job(path)

    with monkeypatch.context() as patch:
        patch.setattr("benchrouter.store.verified.read_job", spy)
        completed(ws, [*JOBS, ABSENT])
    return read


def test_finds_exactly_what_is_completed(seeded: Workspace) -> None:
    found = completed(seeded, [*JOBS, ABSENT, (JOBS[0][0], "e" * 32)])
    assert set(found) == {id for id, _ in JOBS}
    assert all(job.id == id and job.overall == 0.5 and job.seconds == 1.0 for id, job in found.items())


def test_what_was_verified_is_not_read_again(seeded: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reads(seeded, monkeypatch) == []


def test_counts_of_items_are_the_same_read_and_remembered(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed_completed(ws, [SeedJob(id, key, 0.5, items=n) for n, (id, key) in enumerate(JOBS)])
    read = completed(ws, JOBS)
    monkeypatch.setattr("benchrouter.store.verified._RACY_NS", -60 * 10**9)
    completed(ws, JOBS, remember=True)
    assert reads(ws, monkeypatch) == []
    assert completed(ws, JOBS) == read
    assert [found.items for found in read.values()] == [None, *(ItemCounts(n, n) for n in range(1, 10))]


def test_other_content_under_equal_size_and_mtime_is_seen(
    seeded: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = layout.job_dir(seeded, *JOBS[3]) / "result.json"
    status = path.stat()
    path.write_bytes(path.read_bytes().replace(b'"overall": 0.5,', b'"overall": 0.7,'))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    assert reads(seeded, monkeypatch) == ["t3"]
    assert completed(seeded, JOBS)[JOBS[3][0]].overall == 0.7


@pytest.mark.parametrize("name", ["result.json", "job.json"])
def test_an_artifact_that_was_torn_since_is_missing(seeded: Workspace, name: str) -> None:
    (layout.job_dir(seeded, *JOBS[3]) / name).write_text("{")
    assert len(completed(seeded, JOBS)) == 9


def test_freshly_written_artifacts_are_not_trusted_by_their_signature(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed_completed(ws, [SeedJob(id, key) for id, key in JOBS])
    completed(ws, JOBS, remember=True)
    assert not layout.verified_file(ws, "b", "m").exists()
    assert len(reads(ws, monkeypatch)) == 10


def test_looking_writes_nothing(ws: Workspace) -> None:
    seed_completed(ws, [SeedJob(id, key) for id, key in JOBS])
    shutil.rmtree(ws.cache)
    assert len(completed(ws, JOBS)) == 10
    assert not ws.cache.exists()


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"format": 2}',
        '{"format": 2, "tasks": []}',
        '{"format": 2, "tasks": {"t1": 3}}',
        '{"format": 2, "tasks": {"t1": {"k": {}}}}',
        '{"format": 99, "tasks": {}}',
    ],
)
def test_a_torn_or_foreign_cache_is_ignored(seeded: Workspace, content: str) -> None:
    layout.verified_file(seeded, "b", "m").write_text(content)
    assert len(completed(seeded, JOBS)) == 10


def test_results_copied_elsewhere_carry_the_state_along(seeded: Workspace, tmp_path: Path) -> None:
    other = Workspace(tmp_path / "elsewhere")
    shutil.copytree(seeded.results, other.results)
    assert set(completed(other, JOBS)) == {id for id, _ in JOBS}


def test_the_cache_is_bounded_by_what_is_asked_for(
    seeded: Workspace, stage: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchrouter.store.verified._RACY_NS", -60 * 10**9)
    id = JOBS[0][0]
    for n in range(100, 120):
        key = f"{n:032x}"
        publish(seeded, id, key, stage(seeded, id, key), durable=False)
        completed(seeded, [(id, key)], remember=True)
    tasks = json.loads(layout.verified_file(seeded, "b", "m").read_text())["tasks"]
    assert list(tasks["t0"]) == [f"{119:032x}"]
    assert len(tasks) == 10  # the others stay


def test_repeats_of_a_task_do_not_push_each_other_out(
    seeded: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchrouter.store.verified._RACY_NS", -60 * 10**9)
    repeats = [(JobId("b", "t0", "m", n), f"{n + 50:032x}") for n in range(3)]
    seed_completed(seeded, [SeedJob(id, key) for id, key in repeats])
    assert len(completed(seeded, repeats, remember=True)) == 3
    assert len(json.loads(layout.verified_file(seeded, "b", "m").read_text())["tasks"]["t0"]) == 3


def test_thousands_are_looked_up_in_linear_time(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [(JobId(f"s{n % 10}", f"t{n // 10}", "m"), f"{n:032x}") for n in range(1000)]
    seed_completed(ws, [SeedJob(id, key) for id, key in jobs])
    monkeypatch.setattr("benchrouter.store.verified._RACY_NS", -60 * 10**9)
    completed(ws, jobs, remember=True)
    best = 1.0
    for _ in range(5):
        started = time.perf_counter()
        assert len(completed(ws, jobs)) == 1000
        best = min(best, time.perf_counter() - started)
    assert best < 0.15  # 0.011 s on an idle core; ten times that for 10,000
