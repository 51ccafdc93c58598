"""Turn the staging directory of an attempt into its artifact: documents, configuration, one rename."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchrouter.jobs.ending import Conclusion
from benchrouter.jobs.masking import masked
from benchrouter.jobs.redact import Redactor
from benchrouter.jobs.render import Renderer
from benchrouter.jobs.request import JobRequest
from benchrouter.jobs.terminal import harmless
from benchrouter.store import layout, results
from benchrouter.store.problems import StoreError
from benchrouter.store.states import JobState, Outcome, Reason
from benchrouter.store.workspace import Workspace


class Publisher:
    """Publishes the attempts of one workspace."""

    def __init__(self, workspace: Workspace, renderer: Renderer, keep_failed: int) -> None:
        self._workspace = workspace
        self._renderer = renderer
        self._keep_failed = keep_failed

    def publish(
        self,
        request: JobRequest,
        staging: Path,
        conclusion: Conclusion,
        outcome: Outcome,
        facts: Mapping[str, Any],
        redactor: Redactor,
    ) -> Outcome:
        """Publish a completed attempt under its key, or record a failed one; give its path in the outcome.

        `outcome` brings what the conclusion does not know (seconds, end of the log); its texts are redacted.
        """
        conclusion = _unless_changed(request, conclusion)
        completed = conclusion.reason is None
        outcome = replace(
            outcome,
            state=JobState.COMPLETED if completed else JobState.FAILED,
            reason=conclusion.reason,
            final=conclusion.final,
            detail=_message(conclusion.detail, redactor),
            overall=conclusion.overall if completed else None,
            warnings=tuple(_message(text, redactor) for text in conclusion.warnings),
        )
        try:
            self._write(request, staging, conclusion.raw if completed else None, outcome, facts, redactor)
            if completed:
                done = results.publish(
                    self._workspace, request.id, request.key, staging, replace=request.replace
                )
                return replace(outcome, path=done.path, items=done.items)
            failed = results.record_failure(
                self._workspace, request.id, request.key, staging, self._keep_failed
            )
        except (OSError, StoreError) as error:
            return _unpublished(outcome, redactor.scrub_text(str(error)))
        return replace(outcome, path=failed.path)

    def _write(
        self,
        request: JobRequest,
        staging: Path,
        raw: Any,
        outcome: Outcome,
        facts: Mapping[str, Any],
        redactor: Redactor,
    ) -> None:
        self._renderer.render_to(request, staging / layout.CONFIG)
        results.write_documents(
            staging,
            request.id,
            request.key,
            outcome,
            inputs=masked(request.inputs, redactor),
            provenance=masked({**request.provenance, **facts}, redactor),
            run_id=request.run_id,
            raw_metrics=masked(raw, redactor) if raw is not None else None,
        )


def _unless_changed(request: JobRequest, conclusion: Conclusion) -> Conclusion:
    if conclusion.reason is not None:
        return conclusion
    changed = request.changed()
    if changed is None:
        return conclusion
    detail = f"{changed} changed while the job was running; it runs again next time"
    return Conclusion(reason=Reason.CANCELLED, detail=detail)


def _unpublished(outcome: Outcome, why: str) -> Outcome:
    """Report an artifact that could not be written; a failure keeps its own reason."""
    if not outcome.completed:
        return replace(outcome, detail=f"{outcome.detail} (not recorded: {why})")
    detail = f"the artifact could not be written: {why}"
    return replace(outcome, state=JobState.FAILED, reason=Reason.DISK, overall=None, detail=detail)


def _message(text: str, redactor: Redactor) -> str:
    """Put a message on one line that only shows, masked before (white space may be part of a secret) and after."""
    return redactor.scrub_text(harmless(" ".join(redactor.scrub_message(text).split())))
