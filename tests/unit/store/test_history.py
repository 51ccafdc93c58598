from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from benchrouter.store import layout, stale
from benchrouter.store.jobid import JobId
from benchrouter.store.results import find, newest_other, publish, record_failure, superseded
from benchrouter.store.states import Reason
from benchrouter.store.workspace import Workspace

ID, SECOND = JobId("b", "t", "m"), JobId("b", "t", "m", 1)
Stage = Callable[..., Path]


def keep(ws: Workspace, stage: Stage, id: JobId, key: str, age: int = 0) -> Path:
    made = publish(ws, id, key, stage(ws, id, key, inputs={"script": key}), durable=False)
    os.utime(Path(made.path) / "job.json", (1_000_000 - age,) * 2)
    return Path(made.path)


def test_explain_compares_with_the_newest_other_artifact_of_the_same_repeat(
    ws: Workspace, stage: Stage
) -> None:
    keep(ws, stage, ID, "old", age=50)
    keep(ws, stage, ID, "newer", age=10)
    keep(ws, stage, ID, "current")
    keep(ws, stage, SECOND, "of-the-second")
    other = newest_other(ws, ID, "current")
    assert other is not None and other.job.key == "newer" and other.inputs == {"script": "newer"}
    assert newest_other(ws, SECOND, "of-the-second") is None
    assert newest_other(ws, JobId("b", "never", "m"), "x") is None


def test_a_torn_artifact_is_nothing_to_compare_with(ws: Workspace, stage: Stage) -> None:
    keep(ws, stage, ID, "good", age=50)
    (keep(ws, stage, ID, "torn") / "result.json").write_text("")
    other = newest_other(ws, ID, "current")
    assert other is not None and other.job.key == "good"


def test_superseded_spares_current_keys_other_repeats_and_failures(ws: Workspace, stage: Stage) -> None:
    old = keep(ws, stage, ID, "old")
    keep(ws, stage, ID, "current")
    keep(ws, stage, SECOND, "of-the-second")
    record_failure(ws, ID, "current", stage(ws, ID, "current", reason=Reason.OOM))
    assert superseded(ws, ID, {ID: {"current"}}) == [old]


def test_clean_stale_drops_superseded_keys_failures_and_leftovers_only(ws: Workspace, stage: Stage) -> None:
    old = keep(ws, stage, ID, "old")
    keep(ws, stage, ID, "current")
    keep(ws, stage, JobId("b", "unasked", "m"), "whatever")
    failure = record_failure(ws, ID, "current", stage(ws, ID, "current", reason=Reason.OOM))
    living = layout.fresh_attempt(ws, "living")
    layout.owner_file(ws, "living").touch()
    gone = stale.clean_stale(ws, [(ID, "current")])
    assert old in gone and not old.exists() and not Path(failure.path).exists()
    assert find(ws, ID, "current") and find(ws, JobId("b", "unasked", "m"), "whatever")
    assert living.is_dir() and not layout.attempts_dir(ws, "run").exists()
    assert stale.clean_stale(ws, [(ID, "current")]) == []


def test_temporaries_are_swept_once_they_are_old_and_outputs_of_tasks_never(
    ws: Workspace, stage: Stage
) -> None:
    made = keep(ws, stage, ID, "current")
    mine = made / "output" / ".task-wrote-this.tmp"
    mine.touch()
    half = made.parent / ".current.abc.tmp"
    half.mkdir()
    (half / "result.json").touch()
    torn = ws.runs / ".r.json.abc.tmp"
    torn.touch()
    attempts = ws.cache / "attempts" / ".run.abc.tmp"
    attempts.mkdir()
    running = layout.fresh_attempt(ws, "run") / ".task-writes-this.tmp"
    running.touch()
    assert stale.sweep_temporaries(ws) == []
    assert sorted(stale.sweep_temporaries(ws, older_than=-1)) == sorted([half, torn, attempts])
    assert mine.exists() and running.exists() and not half.exists() and not attempts.exists()
