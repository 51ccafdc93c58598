"""How a run is shown: to a person as text, to a program as JSON lines; both are told the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TextIO

from benchrouter.graph.nodes import JobNode
from benchrouter.make.causes import Cause, told_in_blocks
from benchrouter.make.events import VERSION, JsonReporter
from benchrouter.make.reporter import Reporter, for_terminal
from benchrouter.make.session import Session
from benchrouter.make.summary import print_causes, print_scores
from benchrouter.make.voice import told
from benchrouter.store.jobid import JobId
from benchrouter.store.runs import RunJob, RunRecord, job_to_json
from benchrouter.store.states import JobState, Outcome, RunState


class View(Protocol):
    """Shows one run: its events through `reporter`, then what came of it."""

    reporter: Reporter

    def settled(self, session: Session) -> None:
        """Show the scores where nothing had to run."""

    def ended(
        self, session: Session, record: RunRecord, causes: Sequence[Cause], outcomes: Mapping[JobId, Outcome]
    ) -> None:
        """Show what came of a run."""


class TextView:
    """Lines or a live view, then tables."""

    def __init__(self, out: TextIO, *, plain: bool, shown: Callable[[str], str]) -> None:
        self.out = out
        self.reporter = for_terminal(out, plain=plain, shown=shown)

    def settled(self, session: Session) -> None:
        """Print the tables."""
        print_scores(session, self.out)

    def ended(
        self, session: Session, record: RunRecord, causes: Sequence[Cause], outcomes: Mapping[JobId, Outcome]
    ) -> None:
        """Print what failed and why, then the tables."""
        print_causes(session, self.out, causes)
        if record.jobs:
            print(file=self.out)
            print_scores(session, self.out, outcomes, told_in_blocks(causes))


class JsonView:
    """One JSON object a line: events as they come, the result as the last (docs/json.md)."""

    def __init__(self, out: TextIO) -> None:
        self.reporter: Reporter = JsonReporter(out)
        self.out = out

    def settled(self, session: Session) -> None:
        """Write a result without a run."""
        jobs = [_completed(session, job) for job in session.asked_jobs]
        self._write(session, {"run_id": None, "state": RunState.COMPLETED.value, "jobs": jobs, "failures": []})

    def ended(
        self, session: Session, record: RunRecord, causes: Sequence[Cause], outcomes: Mapping[JobId, Outcome]
    ) -> None:
        """Write the result."""
        jobs = [
            {**job_to_json(job), "detail": ended.detail if (ended := outcomes.get(job.id)) else ""}
            for job in record.jobs
        ]
        state = record.state.value if record.state else None
        run_id = record.run_id if record.jobs else None  # of images alone no record is kept
        self._write(session, {"run_id": run_id, "state": state, "jobs": jobs, "failures": list(map(_cause, causes))})

    def _write(self, session: Session, facts: Mapping[str, Any]) -> None:
        asked = {job.id for job in session.asked_jobs}
        nodes = [node for node in session.graph.aggregates if any(job.id in asked for job in node.jobs)]
        scored = [session.score(node, session.known_failures).to_json() for node in nodes]
        earlier = session.standing.kept()
        kept = [job.name for job in session.asked_jobs if job.id in earlier]
        document = {"version": VERSION, "kind": "run", **told(facts), "kept": kept, "aggregates": scored}
        print(json.dumps(document, allow_nan=False), file=self.out, flush=True)


def _completed(session: Session, job: JobNode) -> dict[str, Any]:
    done = session.completed[job.id]
    known = RunJob(job.id, job.key, JobState.COMPLETED, overall=done.overall, items=done.items)
    return {**job_to_json(known), "detail": ""}


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "reason": cause.reason.word if cause.reason else None,
        "detail": cause.detail,
        "nodes": list(cause.nodes),
        "log_tail": cause.log_tail,
    }
