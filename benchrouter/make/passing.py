"""What a job is passed of the caller's environment, by name (`pass_env`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchrouter.graph.nodes import JobNode
from benchrouter.make.variables import is_text

if TYPE_CHECKING:
    from benchrouter.make.session import Session


def passed(session: Session, job: JobNode) -> dict[str, str]:
    """Give the values that the caller's environment has for the names under `pass_env`."""
    names = dict.fromkeys((*session.sources.settings.pass_env, *job.facts.task().pass_env))
    return {name: session.environ[name] for name in names if name in session.environ}


def unpassable(session: Session, job: JobNode) -> str:
    """Say which value cannot be passed on as it is; empty when all can."""
    odd = [name for name, value in passed(session, job).items() if not is_text(value)]
    return f"pass_env: the value of {odd[0]} is not UTF-8; the engine cannot pass it on as it is" if odd else ""


def unset_names(session: Session) -> Iterator[str]:
    """Say which variables are named as secrets and not set: a task may fail for it in a way that is hard to read."""
    environ, settings = session.environ, session.sources.settings
    for model in dict.fromkeys(job.model.name for job in session.due_jobs):
        declared = settings.models.get(model)
        name = declared.api_key_env if declared else None
        if name and not environ.get(name):
            yield f"model {model}: {name} (api_key_env) is not set; its key is EMPTY"
    named = {name for job in session.due_jobs for name in job.facts.task().pass_env} | {*settings.pass_env}
    for name in sorted(named):
        if name not in environ:
            yield f"{name} (pass_env) is not set; the jobs do not get it"
