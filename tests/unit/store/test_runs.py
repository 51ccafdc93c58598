from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from benchrouter.store import documents, layout, runs
from benchrouter.store.items import ItemCounts
from benchrouter.store.jobid import JobId
from benchrouter.store.runs import RunJob, RunNode, RunRecord, Span
from benchrouter.store.states import JobState, Reason, RunState
from benchrouter.store.workspace import Workspace

DONE = RunJob(
    JobId("b", "t", "openai/gpt-4o", 2),
    "k" * 32,
    JobState.COMPLETED,
    overall=0.5,
    seconds=1.5,
    items=ItemCounts(9, 10),
    spans=(Span(1, 1.25, 0.5), Span(0, 2.0, 1.5)),
)
FAILED = RunJob(JobId("b", "t2", "m"), "f" * 32, JobState.FAILED, Reason.TIMEOUT, adopted=True)
RECORD = RunRecord(
    "20250101t000000-aaaa",
    ("run", "model=m"),
    {"LIMIT": "20"},
    ("m",),
    ("b",),
    1.0,
    2.5,
    RunState.PARTIAL,
    (DONE, FAILED),
    slots=8,
    nodes=(RunNode("image:b/env", (Span(0, 1.0, 0.25),)),),
)


def test_a_record_reads_back(ws: Workspace) -> None:
    runs.save(ws, RECORD)
    assert runs.load(ws, RECORD.run_id) == RECORD
    under_way = replace(RECORD, run_id="other", state=None, finished=None, jobs=())
    runs.save(ws, under_way)
    assert runs.load(ws, "other") == under_way
    assert runs.load(ws, "never") is None


def test_what_a_timeline_needs_is_in_the_record(ws: Workspace) -> None:
    job = documents.read(runs.save(ws, RECORD))["jobs"][0]  # type: ignore[index]
    assert (job["started"], job["slot"], job["items"]) == (2.0, 0, {"judged": 9, "selected": 10})


def test_a_record_from_before_timelines_is_read(ws: Workspace) -> None:
    document = documents.read(runs.save(ws, RECORD)) or {}
    for name in ("slots", "nodes"):
        del document[name]
    for job in document["jobs"]:
        for name in ("items", "started", "slot", "spans"):
            del job[name]
    layout.run_file(ws, RECORD.run_id).write_bytes(documents.to_bytes(document))
    old = replace(RECORD, slots=0, nodes=(), jobs=(replace(DONE, items=None, spans=()), FAILED))
    assert runs.load(ws, RECORD.run_id) == old


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"run_id": "r", "jobs": [3]}', '{"run_id": "r"}'])
def test_torn_records_are_named_set_aside_and_do_not_break_the_rest(ws: Workspace, content: str) -> None:
    runs.save(ws, RECORD)
    torn = ws.runs / "20240101t000000-bbbb.json"
    torn.write_text(content)
    records, named = runs.history(ws)
    assert records == [RECORD] and named == [torn]
    moved = runs.set_aside(ws, named)
    assert [path.read_text() for path in moved] == [content]
    assert runs.history(ws) == ([RECORD], [])
    assert runs.set_aside(ws, named) == []


def test_records_are_bounded_and_the_oldest_go(ws: Workspace) -> None:
    for n in range(12):
        runs.save(ws, replace(RECORD, run_id=f"run-{n:02d}"), keep=10)
    assert [record.run_id for record in runs.history(ws)[0]] == [f"run-{n:02d}" for n in range(2, 12)]


def test_run_ids_are_unique_and_sort_by_time() -> None:
    ids = [runs.new_run_id() for _ in range(200)]
    assert len(set(ids)) == 200
    assert all(len(id) <= 40 and id.replace("-", "").isalnum() for id in ids)


def test_killed_writers_leave_no_record_behind_that_is_listed(
    ws: Workspace, killed_at_every_step: Callable[..., int]
) -> None:
    killed_at_every_step(lambda: runs.save(ws, RECORD) and None, lambda: None)
    assert runs.history(ws) == ([RECORD], [])
