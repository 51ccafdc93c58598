"""What this version can run; a job that asks for more ends `unsupported` before anything is built for it."""

from __future__ import annotations

from benchrouter.keys.facts import TaskFacts
from benchrouter.spec.mode import Mode
from benchrouter.spec.task import Task

_LACKING = {
    Mode.COMPOSE: "the task wants sidecars, which this version does not provide",
    Mode.COMPOSE_DIND: "the task wants its own Docker daemon and sidecars, which this version does not provide",
}


def unsupported(task: Task | TaskFacts) -> str | None:
    """Say what a task asks for that is not there yet; None when it can run."""
    return _LACKING.get(task.mode)
