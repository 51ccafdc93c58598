"""From the journal's first line to its removal: signals, engine, reporter, and an end in order whatever happens."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError
from benchrouter.make.limits import raise_open_files
from benchrouter.make.reporter import for_terminal
from benchrouter.make.run import Run
from benchrouter.make.session import Session
from benchrouter.store import layout
from benchrouter.store.atomic import remove_dir
from benchrouter.store.journal import Journal

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def living_run(session: Session, out: TextIO, *, slots: int, plain: bool) -> Iterator[Run]:
    """Open a run: its owner is on record before anything is created, and taken off when nothing of it is left."""
    reporter = for_terminal(out, plain=plain)
    raise_open_files(slots, reporter.note)
    journal = Journal.open(session.ws)
    engine, fault = _connect(session)
    run = Run(session, reporter, journal, slots, engine, fault)
    session.live = run
    before = _catch_signals(run)
    try:
        yield run
    finally:
        reporter.close()
        run.endpoints.close()
        run.jobs.release()
        clean = _leave_nothing(run)
        for number, handler in before.items():
            signal.signal(number, handler)
        if clean:
            journal.close()
        else:
            journal.abandon()
        if engine is not None:
            engine.close()


def _connect(session: Session) -> tuple[Engine | None, str]:
    if not session.due_jobs and not session.needed_images:
        return None, "no engine is needed"
    try:
        return Engine.connect(session.sources.settings.site.engine), ""
    except EngineError as error:
        return None, str(error)


def _catch_signals(run: Run) -> dict[signal.Signals, Any]:
    """Make the signals that mean "end" stop the run in order; repeated ones change nothing."""

    def handle(number: int, _frame: object) -> None:
        if not run.stop.is_set():
            run.interrupt()
            print(
                f"{signal.Signals(number).name}: stopping; containers are being removed",
                file=sys.stderr,
                flush=True,
            )

    return {number: signal.signal(number, handle) for number in _SIGNALS}


def _leave_nothing(run: Run) -> bool:
    """Remove what is left of this run; tell whether all of it is gone."""
    ws = run.session.ws
    if not remove_dir(layout.attempts_dir(ws, run.id)):
        return False
    if run.engine is None or not run.session.due_jobs:
        return True
    from benchrouter.engine.reaper import sweep

    swept = sweep(run.engine, ws.id, run.id)
    for left in swept.left:
        print(f"not removed: {left}; the next start tries again", file=sys.stderr)
    return not swept.left
