"""Runs to ask about: ended, under way, killed; found by the beginning of an id."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchrouter.make.evaluations import KILLED, RUNNING, evaluations, find, unreadable
from benchrouter.make.events import JsonReporter
from benchrouter.make.variables import UsageError
from benchrouter.store import layout, runs
from benchrouter.store.jobid import JobId
from benchrouter.store.journal import Journal
from benchrouter.store.live import open_live
from benchrouter.store.runs import RunJob, RunRecord
from benchrouter.store.states import JobState, Outcome, Reason, RunState
from benchrouter.store.workspace import Workspace


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    """An empty workspace."""
    return Workspace(tmp_path).ensure()


def tell(ws: Workspace, run_id: str) -> None:
    """Leave what a run leaves that has four jobs: done before, ended, under way, waiting."""
    jobs = [
        {**vars(JobId("b", task, "m")), "node": f"job:b/{task}@m", "key": task, "due": task != "done"}
        for task in ("done", "failed", "going", "waiting")
    ]
    with open_live(ws, run_id) as file:
        events = JsonReporter(file)
        events.tell("run", argv=["run", "b"], models=["m"], benchmarks=["b"], jobs=jobs)
        events.started("job:b/failed@m", 60.0)
        events.started("job:b/going@m", 60.0)
        events.ended("job:b/failed@m", Outcome(JobState.FAILED, Reason.TIMEOUT))
        events.note("something")
        file.write('{"event": "started", "node": "job:b/wai')  # torn: it is being written


def test_a_run_under_way_is_what_it_has_told(ws: Workspace) -> None:
    """Its jobs by state, what runs since when, what it noted; a line that is torn is left out."""
    with Journal.open(ws) as mine:
        tell(ws, mine.owner.run_id)
        ((each,), torn) = evaluations(ws)
    assert (each.state, torn) == (RUNNING, [])
    assert {job["task"]: job["state"] for job in each.jobs} == {
        "done": "COMPLETED",
        "failed": "FAILED",
        "going": "RUNNING",
        "waiting": "QUEUED",
    }
    assert [node for node, _ in each.running] == ["job:b/going@m"] and each.notes == ("something",)
    assert each.counts == {"COMPLETED": 1, "FAILED": 1, "QUEUED": 1, "RUNNING": 1}


def test_a_killed_run_is_said_to_be_killed(ws: Workspace) -> None:
    """Until the next start has swept up after it; nothing of it runs."""
    mine = Journal.open(ws)
    path = layout.owner_file(ws, mine.owner.run_id)
    text = path.read_text()
    tell(ws, mine.owner.run_id)
    mine.abandon()
    path.write_text(text.replace(f'"start_time": {mine.owner.start_time}', '"start_time": 1'))
    ((each,), _) = evaluations(ws)
    assert (each.state, each.running) == (KILLED, ())
    assert each.counts == {"COMPLETED": 1, "FAILED": 1, "QUEUED": 2}


def test_an_owner_without_jobs_is_a_run_too(ws: Workspace) -> None:
    """bootstrap-image, say: under way, and nothing is known of it."""
    with Journal.open(ws):
        ((each,), _) = evaluations(ws)
    assert (each.state, each.jobs, each.counts) == (RUNNING, (), {}) and each.started > 1.7e9


def test_a_run_is_found_by_the_beginning_of_its_id(ws: Workspace) -> None:
    """Or of the part after the dash; what is not clear is asked back. A torn record is named."""
    for run_id in ("20260101t000000-abcd0000", "20260101t000000-abce0000", "20260102t000000-20260000"):
        job = RunJob(JobId("b", "t", "m"), "key", JobState.COMPLETED, overall=1.0)
        record = RunRecord(run_id, ("run",), {}, ("m",), ("b",), 1.0, 2.0, RunState.COMPLETED, (job,))
        runs.save(ws, record)
    (ws.runs / "20260103t000000-ffff0000.json").write_text("{")
    found, torn = evaluations(ws)
    assert [path.name for path in torn] == ["20260103t000000-ffff0000.json"]
    assert find(found, "abcd").run_id == "20260101t000000-abcd0000"
    assert find(found, "20260102").run_id == find(found, "2026000").run_id == "20260102t000000-20260000"
    for word, said in (("abc", "type more of it"), ("20260101", "type more of it"), ("zz", "no run `zz`")):
        with pytest.raises(UsageError, match=said):
            find(found, word)


def test_a_torn_record_that_is_asked_for_is_said_to_be_torn(ws: Workspace) -> None:
    """Set aside or not; it is not as if there had been no run."""
    (ws.runs / "torn").mkdir()
    for place in (ws.runs / "20260103t000000-ffff0000.json", ws.runs / "torn" / "20260104t000000-eeee0000.json"):
        place.write_text("{")
        found, torn = evaluations(ws)
        with pytest.raises(UsageError, match=f"{place.stem} is torn and says nothing: {place}"):
            find(found, place.stem[-8:-4], unreadable(ws, torn))
