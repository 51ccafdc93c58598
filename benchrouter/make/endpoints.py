"""The endpoints of a run: started when embedded, asked before the first job, watched while jobs run."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, cast

from benchrouter.graph.nodes import JobNode
from benchrouter.make.breaker import Breaker
from benchrouter.make.session import Session
from benchrouter.make.variables import UsageError
from benchrouter.models.model import DEMO, Model, no_endpoint
from benchrouter.models.preflight import Preflight, preflight

if TYPE_CHECKING:
    from benchrouter.make.run import Run
    from benchrouter.models.answer_lines import Book
    from benchrouter.models.demo import DemoEndpoint


def without_endpoint(session: Session) -> list[str]:
    """Say of each model that due jobs ask and nobody gave an endpoint for what to set; nothing with preflight=0."""
    if not session.variables.preflight:
        return []
    models = {job.model.name: job.model for job in session.due_jobs}.values()
    declared = session.sources.settings.models
    return [
        no_endpoint(model.name, () if model.name in declared else (*declared, DEMO))
        for model in models
        if not model.embedded and model.endpoint is None
    ]


def require_endpoints(session: Session) -> None:
    """Raise UsageError for every model whose jobs have nobody to ask."""
    faults = without_endpoint(session)
    if faults:
        hint = "tasks that ask no model run without one: preflight=0"
        raise UsageError("\n".join([*faults, hint]))


class Endpoints:
    """Knows where each job's model is reached; `refused` maps a model to why none of its jobs can run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._breakers: dict[str, Breaker] = {}
        self._demo: DemoEndpoint | None = None
        self._answers: dict[str, Book] = {}
        self._lock = threading.Lock()
        self.refused: dict[str, str] = {}

    def read_answers(self, jobs: Iterable[JobNode]) -> None:
        """Read what the demo model says to jobs, so that a fault shows before any of them starts; raise ModelError."""
        benchmarks = {job.id.benchmark: job for job in jobs if job.model.embedded}
        for name in sorted(benchmarks):
            self._read_answers(benchmarks[name])

    def _read_answers(self, job: JobNode) -> None:
        from benchrouter.models.answers import load_answers

        name, identities = job.id.benchmark, self._run.session.sources.ask.identities
        with self._lock:
            if name in self._answers:
                return
            digest = cast("dict[str, str]", identities[job.model.name, name])["answers"]
            self._answers.update(load_answers({name: job.facts.root.parent}, {name: digest}).books)

    @property
    def demo(self) -> DemoEndpoint:
        """The embedded demo endpoint, made on first use by whichever thread comes first."""
        from benchrouter.models.demo import Answers, DemoEndpoint

        with self._lock:
            if self._demo is None:
                self._demo = DemoEndpoint(Answers(self._answers))
            return self._demo

    def url(self, job: JobNode) -> str:
        """Give the base URL that the job is told; empty when the model has none."""
        if job.model.embedded:
            self._read_answers(job)
            return self.demo.endpoint_for(job.id.benchmark)
        return job.model.endpoint or ""

    def check(self, models: tuple[Model, ...]) -> None:
        """Ask each model's endpoint once, all at the same time; remember and report those that cannot serve."""
        asked = [model for model in models if not model.embedded]
        if not asked:
            return
        with ThreadPoolExecutor(len(asked)) as pool:
            for model, answer in zip(asked, pool.map(self._ask, asked), strict=True):
                if not answer.ok:
                    self.refused[model.name] = answer.detail
                    self._run.reporter.note(f"model {model.name}: {answer.detail}; its jobs are not started")
                elif answer.detail:
                    self._run.reporter.note(f"model {model.name}: {answer.detail}; jobs may fail")

    def _ask(self, model: Model) -> Preflight:
        site = self._run.session.sources.settings.site
        given = {"http": site.proxies.http, "https": site.proxies.https, "no_proxy": site.proxies.no_proxy}
        proxies = {name: value for name, value in given.items() if value}
        return preflight(model, model.endpoint, site.ca_bundle, proxies or None)

    def breaker(self, model: Model) -> Breaker:
        """Give the breaker that watches a model's endpoint."""
        known = self._breakers.get(model.name)
        if known is None:
            run = self._run
            limits = run.session.sources.settings.site.limits

            def probe() -> str:
                answer = Preflight(True) if model.embedded else self._ask(model)
                return answer.detail if answer.failing or not answer.ok else ""

            known = Breaker(
                f"model {model.name}",
                probe,
                run.reporter.note,
                lambda: run.wake.put(None),
                failures=limits.endpoint_failures,
                patience=limits.endpoint_patience,
            )
            self._breakers[model.name] = known
        return known

    def close(self) -> None:
        """Stop what was started."""
        if self._demo is not None:
            self._demo.stop()
