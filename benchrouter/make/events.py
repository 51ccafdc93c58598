"""The events of a run as JSON lines (docs/json.md): what `run --json` prints, and what a living run leaves on disk."""

from __future__ import annotations

import json
import threading
import time
from typing import Any, TextIO

from benchrouter.make.reporter import Work
from benchrouter.make.voice import told
from benchrouter.store.states import Outcome

VERSION = 1
"""Version of the JSON forms, raised when a field changes its meaning or goes."""


class JsonReporter:
    """Writes the events of one run, each as one line of kind `event`."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._lock = threading.Lock()

    def begin(self, work: Work) -> None:
        """Tell what is to do."""
        self.tell("begin", images=work.images, jobs=work.jobs, parallel=work.parallel)

    def started(self, node: str, timeout: float | None) -> None:
        """Tell that a node runs."""
        self.tell("started", node=node, timeout=timeout)

    def line(self, node: str, text: str) -> None:
        """Say nothing: what tasks print is in their logs."""

    def ended(self, node: str, outcome: Outcome) -> None:
        """Tell how a node ended."""
        self.tell(
            "ended",
            node=node,
            state=outcome.state.value,
            reason=outcome.reason.word if outcome.reason else None,
            detail=outcome.detail,
            overall=outcome.overall,
            seconds=round(outcome.seconds, 3),
            warnings=list(outcome.warnings),
            path=outcome.path,
        )

    def note(self, text: str) -> None:
        """Tell what concerns the run as a whole."""
        self.tell("note", text=text)

    def close(self) -> None:
        """Have nothing to restore."""

    def tell(self, event: str, **facts: Any) -> None:
        """Write one event."""
        document = {"version": VERSION, "kind": "event", "event": event, "time": round(time.time(), 3), **told(facts)}
        with self._lock:
            print(json.dumps(document, allow_nan=False), file=self._out, flush=True)
