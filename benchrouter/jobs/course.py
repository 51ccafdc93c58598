"""The course of one attempt: what its surroundings see of it, and how they have a say in its end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from benchrouter.engine.client import Engine
from benchrouter.engine.compose import Composer
from benchrouter.engine.container_spec import ContainerSpec
from benchrouter.engine.dind.daemons import Daemons
from benchrouter.engine.networks import Networks
from benchrouter.engine.relay import Relays
from benchrouter.jobs.attempt import Attempt, Listener
from benchrouter.jobs.ending import Conclusion
from benchrouter.jobs.redact import Redactor
from benchrouter.jobs.request import JobRequest
from benchrouter.spec.settings import Site
from benchrouter.store.workspace import Workspace


class Ended(Exception):
    """Ends an attempt before its container has run."""

    def __init__(self, conclusion: Conclusion) -> None:
        super().__init__(conclusion.detail)
        self.conclusion = conclusion


@dataclass
class Course:
    """What belongs to one attempt, and what becomes known in its course.

    A surrounding may add `facts` (for provenance.json), `warnings` (beside a score), and `watches`: each is asked
    about five times a second while the container runs; a text that it returns stops the container. A `fault` that it
    sets counts instead of what the container left, unless the run was interrupted. `timeout` is in seconds from
    the start of the container; a surrounding whose command begins later may raise it.
    """

    engine: Engine
    networks: Networks
    relays: Relays
    composer: Composer
    daemons: Daemons
    workspace: Workspace
    site: Site
    request: JobRequest
    attempt: Attempt
    redactor: Redactor
    listener: Listener
    cancelled: threading.Event
    labels: dict[str, str]
    timeout: float
    facts: dict[str, Any] = field(default_factory=dict)
    watches: list[Callable[[], str | None]] = field(default_factory=list)
    fault: Conclusion | None = None
    warnings: list[str] = field(default_factory=list)
    full_disk: str | None = None

    def watched(self) -> str | None:
        """Ask the surroundings whether the container must stop."""
        return next((text for text in (watch() for watch in self.watches) if text), None)

    def note_full_disk(self, full: str | None) -> None:
        """Remember which disk was full when the command ended; removing the container may make room again."""
        self.full_disk = full


Surround = Callable[[Course, ContainerSpec], AbstractContextManager[ContainerSpec]]
"""Prepares what stands around a job's container and gives the spec to run there.

On leaving, it looks whether all held (else it sets `course.fault`), puts its logs into `course.attempt.logs`, and
removes what it made, whatever happened; what it cannot remove it notes in `course.facts` and does not raise.
"""
