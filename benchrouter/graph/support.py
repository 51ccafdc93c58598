"""What this version can run; a job that asks for more ends `unsupported` before anything is built for it."""

from __future__ import annotations

from benchrouter.keys.facts import TaskFacts
from benchrouter.spec.task import Task


def unsupported(task: Task | TaskFacts) -> str | None:
    """Say what a task asks for that is not there yet; None when it can run."""
    del task
    return None
