"""The actions on jobs: render, run once a workspace, retry infrastructure, adopt what others did, aggregate."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchrouter.graph.inputs import job_inputs
from benchrouter.graph.nodes import AggregateNode, JobNode
from benchrouter.jobs.render import Renderer
from benchrouter.jobs.request import Executor, JobRequest
from benchrouter.make.aggregates import completed_by_another, settle_aggregate
from benchrouter.make.passing import passed
from benchrouter.make.provenance import Provenance
from benchrouter.make.refusals import Refusals, unreadable
from benchrouter.make.runner import AGAIN
from benchrouter.make.trees import mounted_tree, tree_path, what_changed
from benchrouter.make.volumes import data_of, hold_volumes, volume_changed
from benchrouter.models.model import ModelError
from benchrouter.spec.problems import SpecError
from benchrouter.store import layout
from benchrouter.store.failures import last_failure
from benchrouter.store.jobid import JobId
from benchrouter.store.locks import Lock, try_lock
from benchrouter.store.problems import StoreError
from benchrouter.store.results import CompletedJob, FailedAttempt, find
from benchrouter.store.states import JobState, Outcome, Reason

if TYPE_CHECKING:
    from benchrouter.make.run import Run

_BACKOFF = (1.0, 4.0)
_POLL = 0.3


class JobSteps:
    """Actions of one run; called from its threads, each job by one thread at a time."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._session = run.session
        self._ws = run.session.ws
        self._renderer = Renderer(self._ws, run.session.sources.settings.site.limits)
        self._provenance = Provenance(run)
        self._refusals = Refusals(run, self._provenance)
        self._locks: dict[JobId, Lock] = {}
        self._attempts: dict[JobId, int] = {}
        self._told: dict[JobId, str] = {}
        self._executor: Executor | None = None
        self._executor_lock = threading.Lock()
        self.failures: dict[JobId, FailedAttempt] = {}
        self._failed_before = run.session.failures  # read now: what fails from here on is adopted

    def render(self, job: JobNode) -> None:
        """Render the run configuration of a job into the cache."""
        self._renderer.render_to(self._request(job), layout.config_dir(self._ws, job.id))

    def run(self, job: JobNode) -> dict[str, float] | None:
        """Run one attempt; the value asks the runner to come again: a retry, or another run has the job."""
        if job.id not in self._locks:
            lock = try_lock(self._ws, job.key)
            if lock is None:
                return {AGAIN: _POLL}
            self._locks[job.id] = lock
        again = self._run.images.restoring.of_job(job) if self._attempts.get(job.id) else None
        if again is not None:
            return again
        outcome = self._adopt(job)
        refusal = self._refusals.why(job) if outcome is None else None
        if refusal is not None:
            self._finish(job, self._refusals.record(job, refusal))
            return None
        outcome = outcome or self._attempt_apart(job)
        if outcome is None:
            return {AGAIN: _POLL}
        if self._should_retry(job, outcome):
            pause = _BACKOFF[self._attempts[job.id] - 1] * random.uniform(0.7, 1.3)
            name = self._session.shown(job.name)
            self._run.reporter.note(f"{name}: {self._news(job, outcome)}; again in {pause:.1f} s")
            return {AGAIN: pause}
        self._finish(job, outcome)
        return None

    def _news(self, job: JobNode, outcome: Outcome) -> str:
        """Say why an attempt failed, with the detail unless it is that of the attempt before."""
        word = outcome.reason.word if outcome.reason else ""
        old, self._told[job.id] = self._told.get(job.id), outcome.detail
        return word if old == outcome.detail else f"{word}: {outcome.detail}"

    def _attempt_apart(self, job: JobNode) -> Outcome | None:
        """Run one attempt apart from jobs that write to a data volume of it; None while there are such."""
        try:
            held = hold_volumes(self._session, job)
        except (OSError, StoreError) as error:
            refusal = Outcome(JobState.FAILED, Reason.UNSUPPORTED, f"data volume: {error}")
            return self._refusals.record(job, refusal)
        if held is None:
            return None
        with held:
            return self._attempt(job)

    def _attempt(self, job: JobNode) -> Outcome:
        task = job.facts.task()
        self._run.reporter.started(job.name, task.timeout)
        try:
            request = self._request(job, job_inputs(self._session.sources.ask, self._session.graph, job))
        except (SpecError, OSError) as error:
            return self._refusals.record(job, unreadable(job, error))
        except ModelError as error:  # an embedded model that does not start
            outcome = self._refusals.record(job, Outcome(JobState.FAILED, Reason.ENDPOINT, str(error)))
        else:
            outcome = self._running(request, job)
        self._watch(job, outcome)
        return outcome

    def _running(self, request: JobRequest, job: JobNode) -> Outcome:
        return self._the_executor().run(
            request, lambda text: self._run.reporter.line(job.name, text), self._run.stop
        )

    def _the_executor(self) -> Executor:
        with self._executor_lock:
            if self._executor is None:
                from benchrouter.jobs.executor import EngineExecutor

                site = self._session.sources.settings.site
                owner = self._run.journal.owner.label
                self._executor = EngineExecutor(self._run.connected(), self._ws, site, owner)
            return self._executor

    def _watch(self, job: JobNode, outcome: Outcome) -> None:
        """Tell the breakers how it went."""
        endpoint = self._run.endpoints.breaker(job.model)
        if outcome.final and outcome.reason is not Reason.ENDPOINT:
            return  # it is the job's own affair; a key that is refused is not
        if outcome.reason is Reason.ENGINE:
            self._run.engine_breaker.failed(outcome.detail)
        elif outcome.reason is Reason.ENDPOINT:
            endpoint.failed(outcome.detail)
        elif outcome.completed:
            endpoint.worked()
            self._run.engine_breaker.worked()

    def _should_retry(self, job: JobNode, outcome: Outcome) -> bool:
        if (
            outcome.completed
            or outcome.reason is None
            or not outcome.reason.retried
            or outcome.final
            or self._run.stop.is_set()
        ):
            return False
        if job.id in self._run.adopted:
            return False
        count = self._attempts.get(job.id, 0) + 1
        self._attempts[job.id] = count
        return count <= self._run.session.sources.settings.site.limits.retries

    def _adopt(self, job: JobNode) -> Outcome | None:
        """Take over what another invocation made of this job since this run began."""
        if self._attempts.get(job.id):
            return None
        done = None if self._session.always else find(self._ws, job.id, job.key)
        if done is not None:
            self._run.adopted.add(job.id)
            return completed_by_another(done)
        failure = last_failure(self._ws, job.id, job.key)
        before = self._failed_before.get(job.id)
        if failure is None or failure.run_id == self._run.id or failure.reason is Reason.CANCELLED:
            return None
        if before is not None and failure.n <= before.n:
            return None
        self._run.adopted.add(job.id)
        return Outcome(JobState.FAILED, failure.reason, failure.detail, path=failure.path)

    def _finish(self, job: JobNode, outcome: Outcome) -> None:
        held = self._locks.pop(job.id, None)
        if held is not None:
            held.release()
        self._run.outcomes[job.id] = outcome
        if outcome.completed and outcome.overall is not None:
            self._session.fresh[job.id] = CompletedJob(
                job.id, job.key, outcome.overall, outcome.seconds, outcome.warnings, outcome.path, outcome.items
            )
        elif outcome.reason is not None:
            number = int(Path(outcome.path).name) if Path(outcome.path).name.isdecimal() else 0
            self.failures[job.id] = FailedAttempt(
                number,
                job.id,
                job.key,
                outcome.reason,
                outcome.detail,
                self._run.id,
                outcome.seconds,
                outcome.path,
            )
        self._run.reporter.ended(job.name, outcome)

    def release(self) -> None:
        """Let go of the keys that jobs held when the run was stopped, and of what they shared."""
        for ident in list(self._locks):
            self._locks.pop(ident).release()
        if self._executor is not None:
            self._executor.close()

    def _request(self, job: JobNode, inputs: dict[str, Any] | None = None) -> JobRequest:
        sources, facts = self._session.sources, job.facts
        task = facts.task()
        return JobRequest(
            id=job.id,
            key=job.key,
            run_id=self._run.id,
            task=task,
            tree=mounted_tree(self._ws, facts) if inputs is not None else tree_path(self._ws, facts),
            benchmark_root=facts.root.parent,
            image_tag=self._session.graph.images[job.image].tag,
            environment=facts.environment,
            images=self._run.images.names_of(job),
            neighbours=self._run.images.neighbours_of(job) if facts.docker else (),
            model=job.model,
            endpoint=self._run.endpoints.url(job) if inputs is not None else "",
            variables=sources.ask.variables,
            pass_env=passed(self._session, job),
            data=data_of(self._session, job),
            seed=job.seed,
            inputs=inputs or {},
            provenance=self._provenance.of(job) if inputs is not None else {},
            changed=lambda: what_changed(facts) or volume_changed(self._session, job),
            replace=self._session.always,
        )

    def write_aggregate(self, node: AggregateNode) -> None:
        """Write the aggregate of what the jobs are now."""
        try:
            settle_aggregate(self._run, node)
        except OSError as error:  # of a disk that is full, say: the next run writes it
            self._run.unwritten = True
            self._run.reporter.note(f"{self._session.shown(node.name)}: not written: {error.strerror or error}")
