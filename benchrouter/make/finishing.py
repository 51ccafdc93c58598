"""The end of a run: the record in `runs/`, the tables, the truth in the exit status."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from benchrouter.graph.nodes import JobNode
from benchrouter.make.causes import causes_of
from benchrouter.make.reporting import refresh_report
from benchrouter.make.run import Run
from benchrouter.make.view import View
from benchrouter.store import runs
from benchrouter.store.runs import RunJob, RunNode, RunRecord
from benchrouter.store.states import JobState, RunState


def finish(run: Run, view: View) -> bool:
    """Record the run and show what came of it; tell whether all its jobs are completed."""
    session = run.session
    jobs = [_record(run, job) for job in session.asked_jobs]
    state = _state(run, jobs)
    record = RunRecord(
        run_id=run.id,
        argv=tuple(sys.argv[1:]),
        variables=dict(session.variables.environment),
        models=session.variables.models,
        benchmarks=tuple(choice.scanned.benchmark.name for choice in session.sources.selected),
        started=run.started,
        finished=time.time(),
        state=state,
        jobs=tuple(jobs),
        slots=run.slots,
        nodes=tuple(RunNode(name, spans) for name, spans in run.spans.items() if not name.startswith("job:")),
    )
    if jobs:
        runs.save(session.ws, record, session.sources.settings.site.limits.keep_runs)
        if not run.stop.is_set():  # somebody waits for the end
            refresh_report(session.ws, run.reporter.note)
    view.ended(session, record, causes_of(run), run.outcomes)
    return state is RunState.COMPLETED


def _state(run: Run, jobs: Sequence[RunJob]) -> RunState:
    """Sum up a run as its exit status does: by its jobs, and by what else it was to make, such as images alone."""
    had_all = not run.images.failed and not run.images.missing
    good = not run.internal_failure and not run.unwritten and had_all
    if not jobs:
        return RunState.COMPLETED if good and not run.stop.is_set() else RunState.FAILED
    state = RunState.of(job.state for job in jobs)
    return state if good or state is not RunState.COMPLETED else RunState.PARTIAL


def _record(run: Run, job: JobNode) -> RunJob:
    outcome = run.outcomes.get(job.id)
    if outcome is not None:
        adopted = job.id in run.adopted
        return RunJob(
            job.id,
            job.key,
            outcome.state,
            outcome.reason,
            outcome.overall,
            outcome.seconds,
            adopted,
            outcome.items,
            run.spans.get(job.name, ()),
        )
    done = None if job.id in run.session.stale_ids else run.session.completed.get(job.id)
    if done is not None:
        return RunJob(job.id, job.key, JobState.COMPLETED, overall=done.overall, items=done.items)
    return RunJob(job.id, job.key, JobState.QUEUED)
