"""Runs as things to ask about: those that ended, from their records; those under way, from what they leave on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchrouter.make.variables import UsageError
from benchrouter.scores.collected import Listed, aggregates
from benchrouter.store import journal, runs
from benchrouter.store.journal import Owner
from benchrouter.store.killed import began, told_by
from benchrouter.store.runs import RunRecord, job_to_json
from benchrouter.store.states import RunState
from benchrouter.store.workspace import Workspace

RUNNING, KILLED = "RUNNING", "KILLED"


@dataclass(frozen=True)
class Evaluation:
    """One run; `state` is that of a run, or RUNNING, or KILLED; `jobs` in the form of a record; times since the epoch.

    `running` are the nodes at work, each with when it began.
    """

    run_id: str
    state: str
    started: float
    finished: float | None
    argv: tuple[str, ...]
    models: tuple[str, ...]
    benchmarks: tuple[str, ...]
    jobs: tuple[Mapping[str, Any], ...]
    running: tuple[tuple[str, float], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> Mapping[str, int]:
        """Count the jobs by their state."""
        return dict(sorted(Counter(str(job["state"]) for job in self.jobs).items()))

    def to_json(self, *, jobs: bool = True) -> dict[str, Any]:
        """Give the form of docs/json.md."""
        document: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("run_id", "state", "started", "finished", "argv", "models", "benchmarks")
        }
        document["counts"] = self.counts
        if jobs:
            document["jobs"] = list(self.jobs)
            document["running"] = [{"node": node, "since": since} for node, since in self.running]
            document["notes"] = self.notes
        return document


def evaluations(ws: Workspace) -> tuple[list[Evaluation], list[Path]]:
    """List all runs, oldest first, and the records that are torn."""
    records, torn = runs.history(ws)
    found = {record.run_id: _ended(record) for record in records}
    for state, owners in ((KILLED, journal.dead_owners(ws)), (RUNNING, journal.living(ws))):
        for owner in owners:
            if owner.run_id not in found:
                found[owner.run_id] = _under_way(ws, owner, state)
    return sorted(found.values(), key=lambda each: each.run_id), torn


def unreadable(ws: Workspace, torn: Iterable[Path]) -> list[Path]:
    """List the records that are torn, those that were set aside, too."""
    return [*torn, *runs.aside(ws)]


def find(found: Iterable[Evaluation], prefix: str, torn: Iterable[Path] = ()) -> Evaluation:
    """Find the one run whose id, or the part of it after the dash, begins so; raise UsageError.

    `torn` are records that cannot be read, which are said to be there.
    """
    known = list(found)
    fitting = [each for each in known if any(part.startswith(prefix) for part in _parts(each.run_id))]
    exact = [each for each in fitting if prefix in _parts(each.run_id)]
    if len(exact or fitting) == 1:
        return (exact or fitting)[0]
    if not fitting:
        for path in torn:
            if any(part.startswith(prefix) for part in _parts(path.stem)):
                raise UsageError(f"the record of run {path.stem} is torn and says nothing: {path}")
        raise UsageError(f"no run `{prefix}`; `benchrouter eval list` shows them")
    raise UsageError(f"`{prefix}` may be {', '.join(each.run_id for each in fitting[:8])}; type more of it")


def _parts(run_id: str) -> tuple[str, str]:
    return run_id, run_id.rpartition("-")[2]


def _ended(record: RunRecord) -> Evaluation:
    return Evaluation(
        record.run_id,
        record.word or RunState.FAILED.value,
        record.started,
        record.finished,
        record.argv,
        record.models,
        record.benchmarks,
        tuple(job_to_json(job) for job in record.jobs),
    )


def _under_way(ws: Workspace, owner: Owner, state: str) -> Evaluation:
    """Put together what a run has told so far."""
    told = told_by(ws, owner.run_id)
    running = told.began if state == RUNNING else {}
    return Evaluation(
        owner.run_id,
        state,
        told.head.get("time") or began(owner.run_id),
        None,
        tuple(told.head["argv"]),
        tuple(told.head["models"]),
        tuple(told.head["benchmarks"]),
        tuple(told.jobs(running)),
        tuple(running.items()),
        tuple(told.notes[-10:]),
    )


def scores_of(ws: Workspace, evaluation: Evaluation) -> list[dict[str, Any]]:
    """Give the aggregates of exactly the jobs that a run was about, as they stand on disk."""
    wanted: dict[tuple[str, str], set[tuple[str, int, str]]] = {}
    for job in evaluation.jobs:
        wanted.setdefault((job["benchmark"], job["model"]), set()).add((job["task"], job["repeat"], job["key"]))
    found = []
    for (benchmark, model), jobs in wanted.items():
        listed = [each for each in aggregates(ws.results, benchmark) if each.model == model and _jobs(each) == jobs]
        found += [dict(each.document) for each in listed[:1]]
    return found


def _jobs(listed: Listed) -> set[tuple[str, int, str]]:
    return {(job["task"], job["repeat"], job["key"]) for job in listed.document["jobs"]}
