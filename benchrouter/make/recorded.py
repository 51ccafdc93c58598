"""A reporter behind another one, that leaves on disk how far a run is: for `benchrouter eval status`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from benchrouter.graph.nodes import JobNode
from benchrouter.make.events import JsonReporter
from benchrouter.make.reporter import Reporter, Work
from benchrouter.make.session import Session
from benchrouter.make.voice import in_its_words
from benchrouter.store.runs import Span
from benchrouter.store.states import Outcome


class Recorded:
    """Passes every event on, and writes it; a disk that is full costs the record, not the run."""

    def __init__(self, inner: Reporter, out: TextIO, session: Session, slots: int) -> None:
        self._inner = inner
        self._out = out
        self._file: JsonReporter | None = JsonReporter(out)
        jobs = [_about(job, session) for job in session.asked_jobs]
        models, argv, variables = list(session.variables.models), sys.argv[1:], dict(session.variables.environment)
        head = {"argv": argv, "models": models, "variables": variables, "slots": slots}
        benchmarks = [choice.scanned.benchmark.name for choice in session.sources.selected]
        self._tell("run", **head, benchmarks=benchmarks, jobs=jobs)

    def begin(self, work: Work) -> None:
        """Pass on and record what is to do."""
        self._inner.begin(work)
        self._record(lambda file: file.begin(work))

    def started(self, node: str, timeout: float | None) -> None:
        """Pass on and record that a node runs."""
        self._inner.started(node, timeout)
        self._record(lambda file: file.started(node, timeout))

    def line(self, node: str, text: str) -> None:
        """Pass on what a node printed; it is in its log."""
        self._inner.line(node, text)

    def ended(self, node: str, outcome: Outcome) -> None:
        """Pass on and record how a node ended."""
        self._inner.ended(node, outcome)
        self._record(lambda file: file.ended(node, outcome))

    def note(self, text: str) -> None:
        """Pass on and record what concerns the run."""
        text = in_its_words(text)
        self._inner.note(text)
        self._record(lambda file: file.note(text))

    def worked(self, node: str, span: Span) -> None:
        """Record when a node was at work, for the timeline of a run that does not come to write one."""
        self._tell("worked", node=node, span=[span.slot, round(span.started, 3), round(span.seconds, 3)])

    def close(self) -> None:
        """Close the reporter behind."""
        self._inner.close()

    def _tell(self, event: str, **facts: object) -> None:
        self._record(lambda file: file.tell(event, **facts))

    def _record(self, write: Callable[[JsonReporter], None]) -> None:
        if self._file is None:
            return
        try:
            write(self._file)
        except (OSError, ValueError):
            self._file = None
            with suppress(OSError, ValueError):
                os.ftruncate(self._out.fileno(), 0)  # the room is needed for more than this


def _about(job: JobNode, session: Session) -> dict[str, object]:
    done = None if job.id in session.stale_ids else session.completed.get(job.id)
    overall = None if done is None else done.overall
    return {**vars(job.id), "node": job.name, "key": job.key, "due": done is None, "overall": overall}
