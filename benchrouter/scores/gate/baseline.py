"""What a gate's baseline scored: an aggregate's file, or what a run recorded."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchrouter.scores.aggregate import JobScore, aggregate
from benchrouter.scores.collected import JobResult, read_result
from benchrouter.scores.comparison.contender import Contender
from benchrouter.scores.gate.policy import Gate
from benchrouter.scores.listed import read_aggregate
from benchrouter.scores.table import one_line
from benchrouter.spec.aggregation import Aggregation
from benchrouter.spec.names import did_you_mean, encode
from benchrouter.spec.problems import SpecError
from benchrouter.store import runs
from benchrouter.store.workspace import Workspace


@dataclass(frozen=True)
class Baseline:
    """The jobs of a baseline; `rule` and `variables` are None where it does not tell them."""

    name: str
    jobs: tuple[JobScore, ...]
    rule: Aggregation | None = None
    variables: Mapping[str, str] | None = None

    @property
    def tasks(self) -> set[str]:
        """Name its tasks that have a score."""
        return {job.id.task for job in self.jobs if job.completed}

    def left(self, results: Path, one: Contender) -> Contender:
        """Give its jobs in the tasks of another, with what is left of their artifacts in `results`."""
        jobs = tuple(_left(results, job) for job in self.jobs if job.id.task in one.tasks)
        return replace(one, jobs=jobs, declared=len(jobs))

    def contender(self, results: Path, one: Contender) -> Contender | None:
        """Give those that have a score, to be paired with another's; None unless all of them are left."""
        jobs = tuple(job for job in self.left(results, one).jobs if job.overall is not None)
        return replace(one, jobs=jobs, declared=len(jobs)) if jobs and all(job.directory for job in jobs) else None

    def overall(self, rule: Aggregation, tasks: Sequence[str]) -> float | None:
        """Give its score over some tasks under a rule."""
        jobs = [job for job in self.jobs if job.id.task in tasks]
        return aggregate("", "", len(jobs), jobs, rule).overall


def _left(results: Path, job: JobScore) -> JobResult:
    id = job.id
    found = read_result(results / id.benchmark / encode(id.model) / id.task / job.key)
    return found if found and found.id == id else JobResult(id, job.key, job.state, job.overall, job.reason)


def find_baseline(gate: Gate, policy: Path, results: Path, model: str) -> Baseline:
    """Find a gate's baseline for a model; raise SpecError with its place in the policy file where there is none.

    A name with a slash or `.json` is a file beside the policy, anything else a run of the workspace, by its id or
    a beginning of it, or of its part after the dash, that is its alone.
    """
    if "/" in gate.baseline or gate.baseline.endswith(".json"):
        return _from_file(gate, policy.parent / Path(gate.baseline).expanduser())
    return _from_run(gate, Workspace(results.absolute().parent), model)


def _from_file(gate: Gate, path: Path) -> Baseline:
    listed = read_aggregate(path)
    if listed is None:
        what = "is no aggregate file" if path.exists() else "the file does not exist"
        raise _fault(gate, f"{path}: {what}; expected a copy of an aggregate.json, or a run's id")
    if listed.benchmark != gate.benchmark:
        raise _fault(gate, f"{path}: holds scores of `{listed.benchmark}`, expected those of `{gate.benchmark}`")
    return Baseline(gate.baseline, listed.scores(), listed.rule)


def _from_run(gate: Gate, ws: Workspace, model: str) -> Baseline:
    known = {path.stem for path in ws.runs.glob("*.json")}
    begun = [name for name in known if any(part.startswith(gate.baseline) for part in _parts(name))]
    found = sorted(name for name in begun if gate.baseline in _parts(name)) or sorted(begun)
    if len(found) > 1:
        raise _fault(gate, f"`{one_line(gate.baseline, 60)}` begins the ids of {len(found)} runs; write more of it")
    record = runs.load(ws, found[0]) if found else None
    if record is None:
        hint = did_you_mean(gate.baseline, known)
        raise _fault(gate, f"no run `{one_line(gate.baseline, 60)}` in {ws.runs}{hint}")
    scores = tuple(
        JobScore(job.id, job.key, job.state, job.overall, job.reason, job.items)
        for job in record.jobs
        if (job.id.benchmark, job.id.model) == (gate.benchmark, model)
    )
    if not any(job.completed for job in scores):
        raise _fault(gate, f"run {record.run_id} has no score of {gate.benchmark} @ {one_line(model, 60)}")
    variables = {name: value for name, value in record.variables.items() if name.isupper()}
    return Baseline(record.run_id, scores, None, variables)


def _parts(run_id: str) -> tuple[str, str]:
    return run_id, run_id.rpartition("-")[2]


def _fault(gate: Gate, message: str) -> SpecError:
    return SpecError([dataclasses.replace(gate.where, message=f"{gate.where.message}: {message}")])
