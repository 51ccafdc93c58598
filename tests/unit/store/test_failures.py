from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from benchrouter.store import layout
from benchrouter.store.jobid import JobId
from benchrouter.store.results import last_failure, record_failure
from benchrouter.store.states import Reason
from benchrouter.store.workspace import Workspace

ID = JobId("b", "t", "m")
Stage = Callable[..., Path]


def record(
    ws: Workspace, stage: Stage, id: JobId = ID, key: str = "k1", keep: int = 5, run: str = "run"
) -> int:
    staging = stage(ws, id, key, reason=Reason.TIMEOUT, run_id=run)
    return record_failure(ws, id, key, staging, keep, durable=False).n


def numbers(ws: Workspace) -> list[int]:
    return sorted(int(path.name) for path in layout.failed_dir(ws, ID).iterdir())


def test_a_failure_reads_back_with_reason_run_and_no_result_of_ours(ws: Workspace, stage: Stage) -> None:
    record(ws, stage, run="run-7")
    found = last_failure(ws, ID)
    assert found is not None
    assert (found.n, found.reason, found.detail, found.run_id) == (1, Reason.TIMEOUT, "because", "run-7")
    assert not (Path(found.path) / "result.json").exists()
    assert (Path(found.path) / "output" / "result.json").exists()  # what the task wrote is kept


def test_the_last_failure_is_of_the_key_and_the_repeat_that_were_asked_for(
    ws: Workspace, stage: Stage
) -> None:
    second = JobId("b", "t", "m", 1)
    record(ws, stage, key="k1")
    record(ws, stage, key="k2")
    record(ws, stage, id=second, key="k3")
    assert getattr(last_failure(ws, ID), "key", None) == "k2"
    assert getattr(last_failure(ws, ID, "k1"), "n", None) == 1
    assert getattr(last_failure(ws, second), "n", None) == 3
    assert last_failure(ws, ID, "k3") is None
    assert last_failure(ws, JobId("b", "never", "m")) is None


def test_failures_are_bounded_for_each_repeat_and_numbers_grow(ws: Workspace, stage: Stage) -> None:
    second = JobId("b", "t", "m", 1)
    record(ws, stage, id=second, keep=2)
    for expected in range(2, 8):
        assert record(ws, stage, keep=2) == expected
    assert numbers(ws) == [1, 6, 7]  # the other repeat's only failure is not pushed out
    assert record(ws, stage, keep=0) == 8  # at least one is kept, or numbers would start over
    assert numbers(ws) == [1, 8]


def test_torn_failures_are_passed_over_and_bounded_too(ws: Workspace, stage: Stage) -> None:
    record(ws, stage)
    for n in range(2, 8):
        (layout.failed_dir(ws, ID) / str(n)).mkdir()
        (layout.failed_dir(ws, ID) / str(n) / "job.json").write_text('{"state": "FAI')
    assert getattr(last_failure(ws, ID), "n", None) == 1
    assert record(ws, stage, keep=2) == 8
    assert numbers(ws) == [1, 6, 7, 8]


def test_processes_that_fail_at_once_get_a_number_each(
    ws: Workspace, stage: Stage, fork: Callable[[Callable[[], None]], int]
) -> None:
    def body() -> None:
        for _ in range(10):
            record(ws, stage, keep=100)

    for pid in [fork(body) for _ in range(4)]:
        assert os.waitpid(pid, 0)[1] == 0
    assert numbers(ws) == list(range(1, 41))
