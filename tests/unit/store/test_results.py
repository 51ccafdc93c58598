from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchrouter.store import layout
from benchrouter.store.jobid import JobId
from benchrouter.store.problems import StoreError
from benchrouter.store.results import find, publish, read_job, record_failure
from benchrouter.store.states import Reason
from benchrouter.store.workspace import Workspace

ID = JobId("b", "t", "openai/gpt-4o", 1)
KEY = "0123456789abcdef" * 2
Stage = Callable[..., Path]


def edit(path: Path, **changes: Any) -> None:
    document = json.loads(path.read_text())
    document.update(changes)
    path.write_text(json.dumps(document))


def test_a_published_job_reads_back(ws: Workspace, stage: Stage) -> None:
    staging = stage(ws, ID, KEY, overall=0.85, raw={"overall": 0.85, "items": [None]}, inputs={"task": "x"})
    made = publish(ws, ID, KEY, staging)
    assert find(ws, ID, KEY) == made
    assert (made.id, made.key, made.overall, made.seconds) == (ID, KEY, 0.85, 1.25)
    envelope = json.loads((Path(made.path) / "result.json").read_text())
    assert list(envelope) == ["benchmark_name", "task_name", "model_name", "overall", "raw_metrics"]
    assert envelope["model_name"] == "openai/gpt-4o" and envelope["raw_metrics"]["items"] == [None]
    assert sorted(path.name for path in Path(made.path).iterdir()) == [
        "job.json",
        "output",
        "provenance.json",
        "result.json",
    ]
    assert not staging.exists()


def test_two_identical_attempts_leave_identical_bytes_but_for_provenance(
    tmp_path: Path, stage: Stage
) -> None:
    trees = []
    for name in ("one", "two"):
        ws = Workspace(tmp_path / name).ensure()
        made = publish(ws, ID, KEY, stage(ws, ID, KEY, run_id=f"run-{name}", inputs={"b": 1, "a": 2}))
        files = [path for path in Path(made.path).rglob("*") if path.is_file()]
        trees.append({path.name: path.read_bytes() for path in files if path.name != "provenance.json"})
        assert not any(str(tmp_path).encode() in data for data in trees[-1].values())
    assert trees[0] == trees[1]


@pytest.mark.parametrize("name", ["result.json", "job.json"])
@pytest.mark.parametrize(
    "damage", ["absent", "empty", "zeros", "truncated", "list", "directory", "latin-1", "fifo"]
)
def test_a_damaged_document_makes_the_artifact_missing(
    ws: Workspace, stage: Stage, name: str, damage: str
) -> None:
    path = Path(publish(ws, ID, KEY, stage(ws, ID, KEY)).path) / name
    data = path.read_bytes()
    path.unlink()
    if damage == "directory":
        path.mkdir()
    elif damage == "fifo":
        os.mkfifo(path)
    elif damage != "absent":
        path.write_bytes(
            {
                "empty": b"",
                "zeros": b"\x00" * len(data),
                "truncated": data[: len(data) // 2],
                "list": b"[]",
                "latin-1": b'{"\xe9": 1}',
            }[damage]
        )
    assert find(ws, ID, KEY) is None
    again = publish(ws, ID, KEY, stage(ws, ID, KEY, overall=0.25))
    assert again.overall == 0.25 == getattr(find(ws, ID, KEY), "overall", None)


@pytest.mark.parametrize(
    "overall", [float("nan"), float("inf"), "0.5", True, None, -0.1, 1.5, [0.5], 10**400]
)
def test_a_score_that_is_none_is_never_read_as_one(ws: Workspace, stage: Stage, overall: Any) -> None:
    path = Path(publish(ws, ID, KEY, stage(ws, ID, KEY)).path)
    edit(path / "result.json", overall=overall)
    assert read_job(path) is None


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("job.json", {"key": "f" * 32}),
        ("job.json", {"state": "FAILED"}),
        ("job.json", {"state": "QUEUED"}),
        ("job.json", {"repeat": "1"}),
        ("job.json", {"repeat": True}),
        ("job.json", {"task": None}),
        ("job.json", {"warnings": None}),
        ("result.json", {"task_name": "other"}),
        ("result.json", {"model_name": "other"}),
    ],
)
def test_documents_at_odds_make_the_artifact_missing(
    ws: Workspace, stage: Stage, name: str, changes: dict[str, Any]
) -> None:
    path = Path(publish(ws, ID, KEY, stage(ws, ID, KEY)).path)
    edit(path / name, **changes)
    assert read_job(path) is None


def test_a_result_of_the_task_itself_in_place_of_ours_is_no_artifact(ws: Workspace, stage: Stage) -> None:
    path = Path(publish(ws, ID, KEY, stage(ws, ID, KEY)).path)
    (path / "result.json").write_text('{"overall": 0.9}')
    assert read_job(path) is None


def test_an_artifact_copied_to_another_job_or_key_is_not_taken_for_it(ws: Workspace, stage: Stage) -> None:
    made = Path(publish(ws, ID, KEY, stage(ws, ID, KEY)).path)
    other_key = layout.job_dir(ws, ID, "e" * 32)
    made.rename(other_key)
    assert find(ws, ID, "e" * 32) is None
    other = JobId("b", "t2", ID.model)
    layout.task_dir(ws, other).mkdir()
    other_key.rename(layout.job_dir(ws, other, KEY))
    assert find(ws, other, KEY) is None


def test_lost_provenance_costs_the_time_not_the_score(ws: Workspace, stage: Stage) -> None:
    made = publish(ws, ID, KEY, stage(ws, ID, KEY))
    (Path(made.path) / "provenance.json").unlink()
    found = find(ws, ID, KEY)
    assert found is not None and (found.overall, found.seconds) == (0.5, 0.0)


def test_the_first_artifact_of_a_key_stays(ws: Workspace, stage: Stage) -> None:
    publish(ws, ID, KEY, stage(ws, ID, KEY, overall=0.5))
    assert publish(ws, ID, KEY, stage(ws, ID, KEY, overall=0.75)).overall == 0.5


def test_only_the_right_staging_directory_is_published(ws: Workspace, stage: Stage) -> None:
    for staging in (
        stage(ws, JobId("b", "other", "m"), KEY),
        stage(ws, ID, "f" * 32),
        stage(ws, ID, KEY, reason=Reason.OOM),
        layout.fresh_attempt(ws, "run"),
    ):
        with pytest.raises(StoreError, match="nothing was published"):
            publish(ws, ID, KEY, staging)
    with pytest.raises(StoreError, match="nothing was recorded"):
        record_failure(ws, ID, KEY, stage(ws, ID, KEY))
    assert not layout.task_dir(ws, ID).exists()


def test_processes_that_publish_one_key_at_once_leave_one_artifact(
    ws: Workspace, stage: Stage, fork: Callable[[Callable[[], None]], int]
) -> None:
    def body() -> None:
        for n in range(20):
            publish(ws, ID, f"{n:032x}", stage(ws, ID, f"{n:032x}"), durable=False)

    for pid in [fork(body) for _ in range(4)]:
        assert os.waitpid(pid, 0)[1] == 0
    assert sorted(path.name for path in layout.task_dir(ws, ID).iterdir()) == [f"{n:032x}" for n in range(20)]
    assert all(find(ws, ID, f"{n:032x}") for n in range(20))
