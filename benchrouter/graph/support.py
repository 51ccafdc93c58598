"""What this version can run; a job that asks for more ends `unsupported` before anything is built for it."""

from __future__ import annotations

from benchrouter.keys.facts import TaskFacts
from benchrouter.spec.mode import Mode
from benchrouter.spec.task import Task

_LACKING = {
    Mode.COMPOSE: "the task wants sidecars, which this version does not provide",
    Mode.DIND: "the task wants its own Docker daemon (docker: true), which this version does not provide",
    Mode.COMPOSE_DIND: "the task wants its own Docker daemon and sidecars, which this version does not provide",
}


def unsupported(task: Task | TaskFacts) -> str | None:
    """Say what a task asks for that is not there yet; None when it can run."""
    if task.mode in _LACKING:
        return _LACKING[task.mode]
    if task.network == "bridge":
        return "the task wants network: bridge, which this version does not provide; host and none work"
    return None
