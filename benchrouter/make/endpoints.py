"""The endpoints of a run: started when embedded, asked before the first job, watched while jobs run."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, cast

from benchrouter.engine.builders import OWNER_VARIABLE
from benchrouter.graph.nodes import JobNode
from benchrouter.make.breaker import Breaker
from benchrouter.make.session import Session
from benchrouter.make.variables import UsageError
from benchrouter.models.model import DEMO, EMBEDDED, SMOLLM2, Model, ModelError, no_endpoint
from benchrouter.models.preflight import Preflight, preflight
from benchrouter.spec.settings import Site

if TYPE_CHECKING:
    from benchrouter.make.run import Run
    from benchrouter.models.answer_lines import Book
    from benchrouter.models.demo import DemoEndpoint
    from benchrouter.models.smollm2.server import SmolEndpoint


def without_endpoint(session: Session) -> list[str]:
    """Say of each model that due jobs ask and that nobody can ask what to do; nothing with preflight=0."""
    if not session.variables.preflight:
        return []
    models = {job.model.name: job.model for job in session.due_jobs}.values()
    declared = session.sources.settings.models
    faults = [
        no_endpoint(model.name, () if model.name in declared else (*declared, *EMBEDDED))
        for model in models
        if not model.embedded and model.endpoint is None
    ]
    return [*faults, *(_not_installed(session) if any(model.name == SMOLLM2 for model in models) else ())]


def _not_installed(session: Session) -> Iterator[str]:
    from benchrouter.models.smollm2.installed import check

    try:
        check(session.ws, session.environ)
    except ModelError as error:
        yield str(error)


def ask_once(model: Model, site: Site) -> Preflight:
    """Ask a model's endpoint, with the site's CA and proxies."""
    given = {"http": site.proxies.http, "https": site.proxies.https, "no_proxy": site.proxies.no_proxy}
    proxies = {name: value for name, value in given.items() if value}
    return preflight(model, model.endpoint, site.ca_bundle, proxies or None)


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
        self._smollm2: SmolEndpoint | None = None
        self._answers: dict[str, Book] = {}
        self._lock = threading.Lock()
        self.refused: dict[str, str] = {}

    def read_answers(self, jobs: Iterable[JobNode]) -> None:
        """Read what the demo model says to jobs, so that a fault shows before any of them starts; raise ModelError."""
        benchmarks = {job.id.benchmark: job for job in jobs if job.model.name == DEMO}
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

    @property
    def smollm2(self) -> SmolEndpoint:
        """The embedded small model, begun by the first job that runs; raises ModelError when it cannot be."""
        from benchrouter.models.smollm2.installed import launch
        from benchrouter.models.smollm2.server import SmolEndpoint

        run = self._run
        with self._lock:
            if self._smollm2 is None:
                mark = {OWNER_VARIABLE: run.id}
                self._smollm2 = SmolEndpoint(launch(run.session.ws, run.session.environ, run.id, mark))
            return self._smollm2

    def url(self, job: JobNode) -> str:
        """Give the base URL that the job is told; empty when the model has none.

        Raises ModelError for an embedded model that does not start.
        """
        if job.model.name == DEMO:
            self._read_answers(job)
            return self.demo.endpoint_for(job.id.benchmark)
        if job.model.name == SMOLLM2:
            return self.smollm2.endpoint_for(job.label)
        return job.model.endpoint or ""

    def facts(self, job: JobNode) -> dict[str, Any]:
        """Say on what an embedded model runs here: its answers may differ by last bits where that differs."""
        served = self._smollm2 if job.model.name == SMOLLM2 else None
        return {"model_runtime": dict(served.facts)} if served is not None and served.facts else {}

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
        return ask_once(model, self._run.session.sources.settings.site)

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
        if self._smollm2 is not None:
            self._smollm2.stop()
