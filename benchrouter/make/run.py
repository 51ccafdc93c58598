"""One run while it lives: who owns it, what it holds open, how each node ended."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from benchrouter.engine import gpus
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError
from benchrouter.graph.admission import Admission, Demand
from benchrouter.graph.demand import demand_of
from benchrouter.graph.nodes import JobNode
from benchrouter.make.breaker import Breaker
from benchrouter.make.endpoints import Endpoints
from benchrouter.make.reporter import Reporter
from benchrouter.make.session import Session
from benchrouter.store.jobid import JobId
from benchrouter.store.journal import Journal
from benchrouter.store.runs import Span
from benchrouter.store.states import Outcome

if TYPE_CHECKING:
    from benchrouter.make.archive_steps import ArchiveSteps
    from benchrouter.make.image_steps import ImageSteps
    from benchrouter.make.job_steps import JobSteps

_SHORTEST = 0.05  # seconds


@dataclass
class Run:
    """What the actions of a run share. `engine` is None when none answers, and `engine_fault` says why.
    `busy` counts the threads that had not ended when the run was given up, `unwritten` tells that an aggregate
    could not be written.
    """

    session: Session
    reporter: Reporter
    journal: Journal
    slots: int
    engine: Engine | None
    engine_fault: str = ""
    stop: threading.Event = field(default_factory=threading.Event)
    wake: queue.SimpleQueue[Any] = field(default_factory=queue.SimpleQueue)
    started: float = field(default_factory=time.time)
    outcomes: dict[JobId, Outcome] = field(default_factory=dict)
    adopted: set[JobId] = field(default_factory=set)
    spans: dict[str, tuple[Span, ...]] = field(default_factory=dict)
    on_span: Callable[[str, Span], None] = lambda *_: None
    internal_failure: bool = False
    unwritten: bool = False
    busy: int = 0

    @property
    def id(self) -> str:
        """The run's id; its owner's too."""
        return self.journal.owner.run_id

    @cached_property
    def endpoints(self) -> Endpoints:
        """The models' endpoints, embedded ones included."""
        return Endpoints(self)

    @cached_property
    def images(self) -> ImageSteps:
        """Actions on base and environment images."""
        from benchrouter.make.image_steps import ImageSteps

        return ImageSteps(self)

    @cached_property
    def archive(self) -> ArchiveSteps:
        """Actions on the image archive."""
        from benchrouter.make.archive_steps import ArchiveSteps

        return ArchiveSteps(self)

    @cached_property
    def jobs(self) -> JobSteps:
        """Actions on jobs and aggregates."""
        from benchrouter.make.job_steps import JobSteps

        return JobSteps(self)

    @cached_property
    def engine_breaker(self) -> Breaker:
        """Pauses admission when the engine fails job after job."""
        patience = self.session.sources.settings.site.limits.engine_patience
        return Breaker(
            "the engine", self._ask_engine, self.reporter.note, lambda: self.wake.put(None), patience=patience
        )

    def _ask_engine(self) -> str:
        if self.engine is not None and self.engine.answers():
            return ""
        return self.engine_fault or "it does not answer"

    def connected(self) -> Engine:
        """Give the engine; raise EngineError when none answers."""
        if self.engine is None:
            raise EngineError(self.engine_fault)
        return self.engine

    @cached_property
    def admission(self) -> Admission:
        """What the engine's machine and the settings let run at once."""
        info = self.engine.info if self.engine else None
        models = {m.name: m.max_concurrency for m in self.session.sources.ask.models if m.max_concurrency}
        return Admission(
            slots=self.slots,
            memory=info.memory if info else 1 << 62,
            gpus=gpus.count() if info and info.local else 0,
            builds=self.session.sources.settings.site.build_parallel,
            models=models,
        )

    @cached_property
    def _jobs_by_node(self) -> dict[str, JobNode]:
        return {job.name: job for job in self.session.graph.jobs}

    def demand(self, name: str) -> Demand:
        """Say what a node needs while it runs."""
        if name.startswith("image:"):
            return Demand(build=True)
        job = self._jobs_by_node.get(name)
        if job is None:
            return Demand()
        limits = self.session.sources.settings.site.limits
        demand = demand_of(job, limits, self.admission.memory, self.slots)
        return demand if demand.gpus <= self.admission.gpus else replace(demand, gpus=0)

    def may_start(self, name: str) -> bool:
        """Hold jobs back while what they need has failed time and again."""
        job = self._jobs_by_node.get(name)
        if job is None:
            return True
        return self.engine_breaker.allows() and self.endpoints.breaker(job.model).allows()

    def worked(self, name: str, span: Span) -> None:
        """Keep what a timeline shows; a look whether another invocation is done with a job is none of it."""
        if span.seconds >= _SHORTEST and not name.startswith(("config:", "aggregate:")):
            self.spans[name] = (*self.spans.get(name, ()), span)
            self.on_span(name, span)

    def rank(self, name: str) -> int:
        """Order what waits: images first, since jobs wait for them; configurations only when no job can start."""
        return 0 if name.startswith(("base:", "image:", "tar:")) else 2 if name.startswith("config:") else 1
