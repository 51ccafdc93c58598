"""Writing an aggregate's files: under its key, and as the headline; few of the former are kept."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchrouter.graph.nodes import AggregateNode, JobNode
from benchrouter.make.session import Session
from benchrouter.make.standing import aggregate_paths
from benchrouter.store import documents, layout
from benchrouter.store.atomic import make_dirs, write_atomic
from benchrouter.store.jobid import JobId
from benchrouter.store.locks import lock
from benchrouter.store.results import CompletedJob, find
from benchrouter.store.states import JobState, Outcome

if TYPE_CHECKING:
    from benchrouter.make.run import Run

_KEEP = 100


def settle_aggregate(run: Run, node: AggregateNode) -> None:
    """Write the aggregate at the end of a run's jobs; raises OSError.

    One run at a time, each after a look at what the others completed: so the last to write is right.
    """
    held = lock(run.session.ws, f"aggregate-{node.key}", cancelled=run.stop)
    if held is None:
        return
    with held:
        for job in node.jobs:
            _look_again(run, job)
        write_aggregate(run.session, node)


def write_aggregate(session: Session, node: AggregateNode) -> None:
    """Write the aggregate of what the jobs are now; raises OSError."""
    data = session.score(node, session.known_failures).to_bytes()
    for path in aggregate_paths(session.ws, node):
        make_dirs(path.parent, durable=False)
        write_atomic(path, data)
    _prune(layout.aggregates_dir(session.ws, node.benchmark.name, node.model.name))


def mark_as_asked(session: Session) -> None:
    """Give the aggregates that a run asks for the time of now, so that the newest one is that of the last ask.

    Their content says nothing of time: after a change was taken back, what is asked for had been written long ago.
    """
    for node in session.graph.aggregates:
        for path in aggregate_paths(session.ws, node):
            with suppress(OSError):  # not there yet, or not ours to touch: it is only a time
                os.utime(path)


def completed_by_another(done: CompletedJob) -> Outcome:
    """Give the outcome of a job that another run has completed."""
    return Outcome(
        JobState.COMPLETED,
        overall=done.overall,
        warnings=done.warnings,
        seconds=done.seconds,
        path=done.path,
        items=done.items,
    )


def _look_again(run: Run, job: JobNode) -> None:
    """Adopt a job that failed here and that a run which began later has completed since."""
    outcome = run.outcomes.get(job.id)
    if outcome is None or outcome.completed or run.session.always:
        return
    done = find(run.session.ws, job.id, job.key)
    if done is not None:
        run.adopted.add(job.id)
        run.outcomes[job.id] = completed_by_another(done)
        run.session.fresh[job.id] = done
        run.jobs.failures.pop(job.id, None)


def superseded_aggregates(session: Session, node: AggregateNode, gone: Collection[Path]) -> Iterator[Path]:
    """List the aggregates, torn ones too, that a present one of the same benchmark and model supersedes.

    `gone` are the superseded artifacts, removed or about to be: an aggregate whose old jobs are still there is of
    another ask (other variables, another seed), and so is one of more repeats than are asked for now.
    """
    for path in sorted(layout.aggregates_dir(session.ws, node.benchmark.name, node.model.name).glob("*.json")):
        if path.stem != node.key and _is_superseded(session, node, documents.read(path), gone):
            yield path


def _is_superseded(
    session: Session, node: AggregateNode, written: dict[str, Any] | None, gone: Collection[Path]
) -> bool:
    try:
        listed = [(str(job["task"]), int(job["repeat"]), str(job["key"])) for job in (written or {})["jobs"]]
        declared = (written or {})["coverage"]["declared"]
    except (KeyError, TypeError, ValueError):
        return True
    benchmark, model = node.benchmark.name, node.model.name
    current = {(job.id.task, job.id.repeat): job.key for job in node.jobs}
    known = {(task, repeat): key for task, repeat, key in listed if (task, repeat) in current}
    old = {ident: key for ident, key in known.items() if key != current[ident]}
    if old:
        kept = (layout.job_dir(session.ws, JobId(benchmark, task, model, n), key) for (task, n), key in old.items())
        return not any(path.is_dir() and path not in gone for path in kept)
    tasks = {task for task, _, _ in listed}
    if not tasks <= {task.name for task in node.benchmark.tasks}:
        return True
    same_repeats = set(known) == {ident for ident in current if ident[0] in tasks} and len(known) == len(listed)
    return same_repeats and declared != node.declared


def _prune(directory: Path) -> None:
    files = list(directory.glob("*.json"))
    if len(files) <= _KEEP:
        return
    for path in sorted(files, key=_age)[:-_KEEP]:
        path.unlink(missing_ok=True)


def _age(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:  # another run prunes too
        return 0
