"""Plans and explanations as JSON, from the very functions that write them as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from benchrouter.graph.nodes import JobNode, base_name
from benchrouter.graph.reasons import Cause
from benchrouter.make.commands.explain import explanations
from benchrouter.make.commands.plan import conditions, to_set
from benchrouter.make.plan_images import image_states, images_outside
from benchrouter.make.session import Session
from benchrouter.make.why import why_job


def plan_json(session: Session, slots: int) -> dict[str, Any]:
    """Tell what a run would do and why, as `plan_lines` does in words."""
    due = session.due_jobs
    under = conditions(session, session.needs.jobs, slots) if session.needs.jobs else ()
    return {
        "warnings": [str(problem) for problem in session.sources.warnings],
        "jobs": {"total": len(session.graph.jobs), "due": [_due(session, job) for job in due]},
        "images": [*_images(session)] if due else [],
        "missing": [*session.lacking.lines()] if due else [],
        "conditions": [*to_set(session), *under] if due else [],
        "aggregates": [node.name for node in session.stale_aggregates],
    }


def _images(session: Session) -> Iterator[dict[str, Any]]:
    for name, state in image_states(session).items():
        yield {"node": name, "tag": session.needs.images[name].tag, "state": state or None, "to_get": None}
    for each in images_outside(session):
        yield {"node": base_name(each.ref), "tag": each.ref, "state": each.state, "to_get": each.told or None}


def explain_json(session: Session, words: Iterable[str]) -> list[dict[str, Any]]:
    """Tell of each node that a word means what it is made from, and of jobs why they run; raise UsageError."""
    jobs = {job.name: job for job in session.graph.jobs}
    return [{"node": name, "lines": lines, **_job(session, jobs, name)} for name, lines in explanations(session, words)]


def _job(session: Session, jobs: Mapping[str, JobNode], name: str) -> dict[str, Any]:
    job = jobs.get(name)
    if job is None:
        return {}
    because = [*map(_cause, why_job(session, job))]
    return {**vars(job.id), "key": job.key, "up_to_date": job.id not in session.stale_ids, "because": because}


def _due(session: Session, job: JobNode) -> dict[str, Any]:
    because = [*map(_cause, why_job(session, job))]
    unsupported = session.unsupported.why(job) or None
    return {"node": job.name, **vars(job.id), "key": job.key, "because": because, "unsupported": unsupported}


def _cause(cause: Cause) -> dict[str, Any]:
    return {"text": cause.text, "because": [*map(_cause, cause.because)]}
