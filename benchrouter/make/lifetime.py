"""From the journal's first line to its removal: signals, engine, reporter, and an end in order whatever happens."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError
from benchrouter.make.interruption import stop_in_order
from benchrouter.make.limits import raise_open_files
from benchrouter.make.recorded import Recorded
from benchrouter.make.reporter import Reporter
from benchrouter.make.run import Run
from benchrouter.make.session import Session
from benchrouter.store import layout
from benchrouter.store.atomic import remove_dir
from benchrouter.store.journal import Journal
from benchrouter.store.live import close_live, forget_live, open_live


@contextmanager
def living_run(session: Session, reporter: Reporter, *, slots: int) -> Iterator[Run]:
    """Open a run: its owner is on record before anything is created, and taken off when nothing of it is left."""
    stop, wake = threading.Event(), queue.SimpleQueue[Any]()

    def interrupt() -> None:
        stop.set()
        wake.put(None)

    stop_in_order(interrupt)
    raise_open_files(slots, reporter.note)
    journal = Journal.open(session.ws)
    engine, fault = _connect(session)
    live = open_live(session.ws, journal.owner.run_id)
    recorded = Recorded(reporter, live, session, slots)
    run = Run(session, recorded, journal, slots, engine, fault, stop, wake, on_span=recorded.worked)
    session.live = run
    # made here, once, by one thread; and what failed before now is told from what another run does meanwhile
    _ = run.images, run.archive, run.jobs, run.endpoints, run.engine_breaker, run.admission
    try:
        yield run
    finally:
        reporter.close()
        run.endpoints.close()
        run.jobs.release()
        close_live(live)
        if _leave_nothing(run):
            forget_live(session.ws, run.id)
            journal.close()
        else:
            journal.abandon()
        if engine is not None:
            engine.close()


def _connect(session: Session) -> tuple[Engine | None, str]:
    if not session.due_jobs and not session.needs.images and not session.needs.named_bases:
        return None, "no engine is needed"
    try:
        engine = Engine.connect(session.sources.settings.site.engine)
        _ = engine.info  # an engine that cannot even tell what it is counts as none
    except EngineError as error:
        return None, str(error)
    return engine, ""


def _leave_nothing(run: Run) -> bool:
    """Remove what is left of this run; tell whether all of it is gone."""
    if run.busy:
        print(f"{run.busy} jobs did not end; the next start removes what they leave", file=sys.stderr)
        return False
    ws = run.session.ws
    if not remove_dir(layout.attempts_dir(ws, run.id)):
        return False
    if run.engine is None:
        return True
    from benchrouter.engine.reaper import sweep

    swept = sweep(run.engine, ws.id, run.id)
    for left in swept.left:
        print(f"not removed: {left}; the next start tries again", file=sys.stderr)
    return not swept.left
