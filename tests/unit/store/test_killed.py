"""A killed run stays in the history: whoever sweeps up after it writes its record before anything of it is removed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benchrouter.make.evaluations import KILLED, evaluations, find
from benchrouter.make.events import JsonReporter
from benchrouter.scores.report.page import write_report
from benchrouter.store import journal, layout, runs
from benchrouter.store.jobid import JobId
from benchrouter.store.journal import Journal, Owner
from benchrouter.store.killed import record_killed
from benchrouter.store.live import open_live
from benchrouter.store.states import JobState, Outcome, Reason
from benchrouter.store.workspace import Workspace

Killed = Callable[..., int]
TASKS = ("before", "quick", "broken", "slow")


def killed_run(ws: Workspace) -> Owner:
    """Leave what a run leaves that was killed: of four jobs one was done before, two ended, one was at work."""
    mine = Journal.open(ws)
    jobs = [
        {**vars(JobId("b", task, "m")), "node": f"job:b/{task}@m", "key": task * 4, "due": task != "before",
         "overall": 0.25 if task == "before" else None}
        for task in TASKS
    ]  # fmt: skip
    with open_live(ws, mine.owner.run_id) as file:
        events = JsonReporter(file)
        events.tell("run", argv=["run", "b"], models=["m"], benchmarks=["b"], variables={"LIMIT": "5"}, jobs=jobs)
        events.started("job:b/quick@m", 60.0)
        events.ended("job:b/quick@m", Outcome(JobState.COMPLETED, overall=0.5, seconds=1.5))
        events.ended("job:b/broken@m", Outcome(JobState.FAILED, Reason.TIMEOUT))
        events.started("job:b/slow@m", 60.0)
        file.write('{"event": "ended", "node": "job:b/sl')
    mine.abandon()
    return mine.owner


def test_a_killed_run_does_not_vanish_with_the_sweep(ws: Workspace) -> None:
    """Its record says that it was killed, and its jobs as far as they are known."""
    owner = killed_run(ws)
    journal.forget(ws, owner)
    assert not list(ws.runs.glob("*.owner")) and not list(ws.runs.glob("*.live"))
    record = runs.load(ws, owner.run_id)
    assert record is not None and (record.ended, record.state, record.finished) == (runs.KILLED, None, None)
    assert (record.argv, record.variables, record.models) == (("run", "b"), {"LIMIT": "5"}, ("m",))
    assert [(job.id.task, job.state.value, job.overall) for job in record.jobs] == [
        ("before", "COMPLETED", 0.25),
        ("quick", "COMPLETED", 0.5),
        ("broken", "FAILED", None),
        ("slow", "QUEUED", None),
    ]
    each = find(evaluations(ws)[0], owner.run_id.rpartition("-")[2])
    assert each.state == KILLED and each.counts == {"COMPLETED": 2, "FAILED": 1, "QUEUED": 1}
    assert 'class="state KILLED">KILLED<' in write_report(ws).read_text()


def test_a_killed_run_has_a_timeline(ws: Workspace) -> None:
    """What had ended as it was, a retry too; what was at work until the last sign of life, on slots of their own."""
    mine = Journal.open(ws)
    jobs = [{**vars(JobId("b", task, "m")), "node": f"job:b/{task}@m", "key": task * 4, "due": True} for task in TASKS]
    with open_live(ws, mine.owner.run_id) as file:
        events = JsonReporter(file)
        events.tell("run", argv=[], models=["m"], benchmarks=["b"], variables={}, slots=3, jobs=jobs)
        events.tell("worked", node="image:b/b", span=[0, 1000.0, 5.0])
        events.started("job:b/quick@m", 60.0)
        events.started("job:b/slow@m", 60.0)
        events.tell("worked", node="job:b/quick@m", span=[1, 1005.0, 1.5])
        events.started("job:b/quick@m", 60.0)
        events.started("config:b/broken@m", None)
    mine.abandon()
    attempt = layout.fresh_attempt(ws, mine.owner.run_id) / "staging" / "logs"
    attempt.mkdir(parents=True)
    (attempt / "stdout.log").touch()
    word = time.time() + 60
    os.utime(attempt / "stdout.log", (word, word))
    record_killed(ws, mine.owner.run_id)
    record = runs.load(ws, mine.owner.run_id)
    assert record is not None and record.slots == 3
    assert record.nodes == (runs.RunNode("image:b/b", (runs.Span(0, 1000.0, 5.0),)),)
    spans = {job.id.task: job.spans for job in record.jobs if job.spans}
    assert spans.keys() == {"quick", "slow"} and spans["quick"][0] == runs.Span(1, 1005.0, 1.5)
    assert sorted(each[-1].slot for each in spans.values()) == [0, 1]
    for each in spans.values():
        assert each[-1].started + each[-1].seconds == pytest.approx(word, abs=0.01)
    page = write_report(ws).read_text()
    assert page.count('<g class="KILLED">') == 2 and "tried again" in page and "image:b/b" in page


def test_a_sweep_that_is_killed_itself_loses_no_record(ws: Workspace, killed_at_every_step: Killed) -> None:
    """At every step the run is known: by its entry, by its record, or both. The next sweep ends the work."""
    owner = killed_run(ws)

    def check() -> None:
        entry, record = layout.owner_file(ws, owner.run_id), runs.load(ws, owner.run_id)
        assert entry.exists() or record is not None
        assert record is None or len(record.jobs) == len(TASKS)

    assert killed_at_every_step(lambda: journal.forget(ws, owner), check) > 3
    journal.forget(ws, owner)
    record = runs.load(ws, owner.run_id)
    assert record is not None and len(record.jobs) == len(TASKS)


def test_the_record_that_a_run_wrote_itself_stays(ws: Workspace) -> None:
    """A run may be killed between its record and the end of its entry; a second sweep finds the first one's record."""
    owner = killed_run(ws)
    runs.save(ws, runs.RunRecord(owner.run_id, ("mine",), {}, ("m",), ("b",), 1.0, 2.0))
    journal.forget(ws, owner)
    journal.forget(ws, owner)
    record = runs.load(ws, owner.run_id)
    assert record is not None and (record.argv, record.ended) == (("mine",), None)


def test_an_owner_that_was_about_no_jobs_leaves_no_record(ws: Workspace) -> None:
    """bootstrap-image, or a run that had not yet begun."""
    mine = Journal.open(ws)
    mine.abandon()
    journal.forget(ws, mine.owner)
    open_live(ws, "20260101t000000-aaaaaaaa").close()
    record_killed(ws, "20260101t000000-aaaaaaaa")
    assert runs.history(ws) == ([], [])


def test_a_full_disk_keeps_the_entry_of_a_killed_run(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its record could not be written, so the next start has to try again."""
    owner = killed_run(ws)

    def full(_path: Path, _data: bytes) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(runs, "write_atomic", full)
        journal.forget(ws, owner)
    assert layout.owner_file(ws, owner.run_id).exists() and layout.live_file(ws, owner.run_id).exists()
    journal.forget(ws, owner)
    assert runs.load(ws, owner.run_id) is not None
