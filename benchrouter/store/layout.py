"""Every path that we read or write inside a workspace, in one place (design: section 6)."""

from __future__ import annotations

import secrets
from pathlib import Path

from benchrouter.spec.names import component_fault, encode
from benchrouter.store.jobid import JobId
from benchrouter.store.problems import StoreError
from benchrouter.store.workspace import Workspace

RESULT = "result.json"
JOB = "job.json"
PROVENANCE = "provenance.json"
OUTPUT = "output"
LOGS = "logs"
CONFIG = "config"


def model_dir(ws: Workspace, benchmark: str, model: str) -> Path:
    """Everything about one benchmark and one model."""
    return ws.results / _component(benchmark, "benchmark") / encode(model)


def task_dir(ws: Workspace, id: JobId) -> Path:
    """The artifacts of one task and one model: one directory per key, all repeats, and `failed/`."""
    return model_dir(ws, id.benchmark, id.model) / _component(id.task, "task")


def job_dir(ws: Workspace, id: JobId, key: str) -> Path:
    """The artifact directory of one completed job."""
    return task_dir(ws, id) / key


def failed_dir(ws: Workspace, id: JobId) -> Path:
    """The failed attempts of one task and one model."""
    return task_dir(ws, id) / "failed"


def aggregates_dir(ws: Workspace, benchmark: str, model: str) -> Path:
    """One aggregate per distinct set of jobs."""
    return model_dir(ws, benchmark, model) / "aggregates"


def aggregate_file(ws: Workspace, benchmark: str, model: str) -> Path:
    """The newest aggregate over all declared tasks."""
    return model_dir(ws, benchmark, model) / "aggregate.json"


def report_file(ws: Workspace) -> Path:
    """The report over everything in `results/`."""
    return ws.results / "report.html"


def config_dir(ws: Workspace, id: JobId) -> Path:
    """The rendered configuration of one job, made again at will."""
    leaf = id.task if not id.repeat else f"{id.task}#{id.repeat}"
    return ws.cache / "config" / _component(id.benchmark, "benchmark") / encode(id.model) / leaf


def hashes_dir(ws: Workspace) -> Path:
    """Stat caches: what was hashed or verified before, by stat signature."""
    return ws.cache / "hashes"


def verified_file(ws: Workspace, benchmark: str, model: str) -> Path:
    """The cache of verified artifacts of one benchmark and one model."""
    return hashes_dir(ws) / "results" / _component(benchmark, "benchmark") / f"{encode(model)}.json"


def images_dir(ws: Workspace) -> Path:
    """The image archive."""
    return ws.cache / "images"


def models_dir(ws: Workspace) -> Path:
    """The embedded models that were installed, and their logs."""
    return ws.cache / "models"


def lock_file(ws: Workspace, key: str) -> Path:
    """The file whose kernel lock stands for a key."""
    return ws.cache / "locks" / f"{key}.lock"


def failed_build_file(ws: Workspace, key: str) -> Path:
    """How the last build of an image's key failed."""
    return ws.cache / "builds" / f"{key}.json"


def attempts_dir(ws: Workspace, run_id: str) -> Path:
    """The directories of the attempts of one run while they are under way."""
    return ws.cache / "attempts" / run_id


def fresh_attempt(ws: Workspace, run_id: str) -> Path:
    """Make an empty directory for one attempt, never used before."""
    directory = attempts_dir(ws, run_id) / secrets.token_hex(6)
    directory.parent.mkdir(parents=True, exist_ok=True)
    directory.mkdir()
    return directory


def owner_file(ws: Workspace, run_id: str) -> Path:
    """The journal of a living owner."""
    return ws.runs / f"{run_id}.owner"


def live_file(ws: Workspace, run_id: str) -> Path:
    """What a living run tells of itself."""
    return ws.runs / f"{run_id}.live"


def run_file(ws: Workspace, run_id: str) -> Path:
    """The record of one run."""
    return ws.runs / f"{run_id}.json"


def _component(name: str, kind: str) -> str:
    fault = component_fault(name)
    if fault is not None:
        raise StoreError(f"{kind} name {name!r}: {fault}")
    return name
