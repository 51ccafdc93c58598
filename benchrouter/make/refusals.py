"""Why a job of a run is not started at all, and what is left on disk of that."""

from __future__ import annotations

import secrets
from errno import EDQUOT, ENOSPC
from typing import TYPE_CHECKING

from benchrouter.graph.inputs import job_inputs
from benchrouter.graph.nodes import JobNode
from benchrouter.make.provenance import Provenance
from benchrouter.store import layout
from benchrouter.store.atomic import make_dirs
from benchrouter.store.failures import record_failure
from benchrouter.store.results import write_documents
from benchrouter.store.states import JobState, Outcome, Reason

if TYPE_CHECKING:
    from benchrouter.make.run import Run


class Refusals:
    """Says for one run why a job cannot be started, and records it."""

    def __init__(self, run: Run, provenance: Provenance) -> None:
        self._run = run
        self._session = run.session
        self._provenance = provenance

    def why(self, job: JobNode) -> Outcome | None:
        """Say why a job cannot be started; None when it can."""
        reason, detail = Reason.UNSUPPORTED, self._session.unsupported.why(job)
        if not detail and job.model.name in self._run.endpoints.refused:
            reason, detail = Reason.ENDPOINT, self._run.endpoints.refused[job.model.name]
        if not detail and self._run.endpoints.breaker(job.model).given_up:
            reason, detail = Reason.ENDPOINT, self._run.endpoints.breaker(job.model).given_up
        if not detail and (self._run.engine is None or self._run.engine_breaker.given_up):
            reason, detail = Reason.ENGINE, self._run.engine_fault or self._run.engine_breaker.given_up
        if not detail:
            reason, detail = Reason.IMAGE_MISSING, "; ".join(self._session.lacking.supplies(job))
        blocked = self._run.images.blocked(job.images) if not detail else None
        if blocked is not None:
            return blocked
        return Outcome(JobState.FAILED, reason, detail) if detail else None

    def record(self, job: JobNode, outcome: Outcome) -> Outcome:
        """Leave a failed attempt that says why, so that the next run and the aggregate know."""
        staging = self._session.ws.cache / "attempts" / self._run.id / f"refused-{secrets.token_hex(8)}"
        make_dirs(staging, durable=False)
        inputs = job_inputs(self._session.sources.ask, self._session.graph, job)
        write_documents(
            staging,
            job.id,
            job.key,
            outcome,
            inputs=inputs,
            provenance=self._provenance.of(job),
            run_id=self._run.id,
        )
        if outcome.log_tail:
            (staging / layout.LOGS).mkdir()
            (staging / layout.LOGS / "build.log").write_text(outcome.log_tail + "\n", "utf-8", "replace")
        keep = self._session.sources.settings.site.limits.keep_failed
        recorded = record_failure(self._session.ws, job.id, job.key, staging, keep, durable=False)
        return Outcome(
            outcome.state, outcome.reason, outcome.detail, log_tail=outcome.log_tail, path=recorded.path
        )


def unreadable(job: JobNode, error: Exception) -> Outcome:
    """Say that a tree that was fine when it was scanned cannot be mounted now."""
    if isinstance(error, OSError) and error.errno in (ENOSPC, EDQUOT):
        return Outcome(JobState.FAILED, Reason.DISK, str(error))
    text = " ".join(str(error).split())
    return Outcome(JobState.FAILED, Reason.CANCELLED, f"{job.id.task}/ changed before the job ran: {text}")
