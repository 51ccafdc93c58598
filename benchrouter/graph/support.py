"""What this version can run; a job that asks for more ends `unsupported` before anything is built for it."""

from __future__ import annotations

from benchrouter.keys.facts import TaskFacts


def unsupported(facts: TaskFacts) -> str | None:
    """Say what a task asks for that is not there yet; None when it can run."""
    if facts.docker:
        return "the task wants its own Docker daemon (docker: true), which this version does not provide"
    if facts.has_sidecars:
        return "the task wants sidecars, which this version does not provide"
    if facts.network == "bridge":
        return "the task wants network: bridge, which this version does not provide; host and none work"
    return None
