"""How the aggregates of a session stand: what they say, where that is written, and whether it has been."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from benchrouter.graph.nodes import AggregateNode, JobNode
from benchrouter.scores.aggregate import Aggregate, JobScore, aggregate
from benchrouter.spec.inputs import read_input
from benchrouter.store import documents, layout
from benchrouter.store.jobid import JobId
from benchrouter.store.results import CompletedJob, FailedAttempt
from benchrouter.store.states import JobState
from benchrouter.store.workspace import Workspace

if TYPE_CHECKING:
    from benchrouter.make.session import Session


class Standing:
    """Computes aggregates of a session; those of what the store held at its start are remembered."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._settled: dict[str, Aggregate] = {}

    def is_stale(self, node: AggregateNode) -> bool:
        """Tell whether an aggregate has to be written: a job will run, or the file does not say what the jobs say."""
        if any(job.id in self._session.stale_ids for job in node.jobs):
            return True
        first, *others = [_content(path) for path in aggregate_paths(self._session.ws, node)]
        if any(other != first for other in others):
            return True
        return documents.from_bytes(first) != self.score(node, {}).to_json()

    def kept(self) -> frozenset[JobId]:
        """Name the jobs that the command was to make anew and has not: what the store held of them counts on."""
        session = self._session
        return frozenset(j.id for j in session.due_jobs if j.id in session.completed and j.id not in session.fresh)

    def score(self, node: AggregateNode, failures: Mapping[JobId, FailedAttempt]) -> Aggregate:
        """Compute an aggregate from what is completed, and from the failed attempts given for the rest."""
        fresh = self._session.fresh
        as_stored = not failures and not fresh
        if as_stored and node.name in self._settled:
            return self._settled[node.name]
        known = {**self._session.completed, **fresh} if fresh else self._session.completed
        scores = [_job_score(job, known.get(job.id), failures.get(job.id)) for job in node.jobs]
        rule = node.benchmark.aggregate
        scored = aggregate(node.benchmark.name, node.model.name, node.declared, scores, rule)
        if as_stored:
            self._settled[node.name] = scored
        return scored


def _job_score(job: JobNode, done: CompletedJob | None, failure: FailedAttempt | None) -> JobScore:
    if done is not None:
        return JobScore(job.id, job.key, JobState.COMPLETED, done.overall, items=done.items)
    if failure is not None:
        return JobScore(job.id, job.key, JobState.FAILED, reason=failure.reason)
    return JobScore(job.id, job.key, JobState.QUEUED)


def _content(path: Path) -> bytes:
    try:
        return read_input(path, documents.MAX_BYTES)
    except OSError:
        return b""


def aggregate_paths(ws: Workspace, node: AggregateNode) -> list[Path]:
    """Say where an aggregate is written: under its key, and as the headline when it covers all declared tasks."""
    directory = layout.aggregates_dir(ws, node.benchmark.name, node.model.name)
    paths = [directory / f"{node.key}.json"]
    if node.headline:
        paths.append(layout.aggregate_file(ws, node.benchmark.name, node.model.name))
    return paths
