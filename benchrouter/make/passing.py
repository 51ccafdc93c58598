"""What a job is passed of the caller's environment, by name (`pass_env`)."""

from __future__ import annotations

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
