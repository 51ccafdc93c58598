"""Builds that failed: told to other invocations of the workspace, which adopt the failure instead of repeating it."""

from __future__ import annotations

import time

from benchrouter.store import documents, layout
from benchrouter.store.atomic import make_dirs, write_atomic
from benchrouter.store.states import JobState, Outcome, Reason
from benchrouter.store.workspace import Workspace

_HOUR = 3600.0  # nobody who was there when a build failed still waits for it after that


def record_failed_build(ws: Workspace, key: str, run_id: str, outcome: Outcome) -> None:
    """Say how a build failed, and drop what is too old to be adopted; the caller holds the key's lock."""
    if outcome.reason is None:
        return
    path = layout.failed_build_file(ws, key)
    make_dirs(path.parent, durable=False)
    for other in path.parent.glob("*.json"):
        try:
            if other.stat().st_mtime < time.time() - _HOUR:
                other.unlink()
        except FileNotFoundError:
            continue
    facts = {
        "run": run_id,
        "at": time.time(),
        "reason": outcome.reason.word,
        "detail": outcome.detail,
        "log_tail": outcome.log_tail,
    }
    write_atomic(path, documents.to_bytes(facts), durable=False)


def failed_build(ws: Workspace, key: str, run_id: str, since: float) -> Outcome | None:
    """Find how another invocation's build of a key failed after `since` (seconds since the epoch)."""
    facts = documents.read(layout.failed_build_file(ws, key))
    try:
        if facts is None or facts["run"] == run_id or facts["at"] < since:
            return None
        reason = Reason.of(facts["reason"])
        return Outcome(JobState.FAILED, reason, str(facts["detail"]), log_tail=str(facts["log_tail"]))
    except (KeyError, TypeError, ValueError):
        return None
