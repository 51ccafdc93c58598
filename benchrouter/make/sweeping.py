"""The start of a run: sweep up after owners of this workspace that died."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from benchrouter.engine import reaper
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError
from benchrouter.engine.ownership import remove_tree
from benchrouter.engine.scratch import remove_noted
from benchrouter.make.session import Session
from benchrouter.store import journal, layout, locks, stale
from benchrouter.store.journal import Owner
from benchrouter.store.killed import record_killed

_SETTLE = 2.0


@contextmanager
def swept_up(session: Session, dead: list[Owner], say: Callable[[str], None]) -> Iterator[None]:
    """Sweep before the work and once more after it, then forget those of whom nothing is left; record them first.

    A client that was killed a moment ago may have asked for a container or a layer that its engine is only now
    about to make: the first sweep cannot see it.
    """
    began = time.monotonic()
    for owner in dead:
        with suppress(OSError):  # a disk that is full now may not be later: forgetting them tries again
            record_killed(session.ws, owner.run_id)
    gone = sweep(session, dead, say)
    yield
    if gone:
        time.sleep(max(0.0, began + _SETTLE - time.monotonic()))
        for owner in sweep(session, gone, say):
            journal.forget(session.ws, owner)


def sweep(session: Session, dead: list[Owner], say: Callable[[str], None]) -> list[Owner]:
    """Remove what dead owners left in engine and cache, and give those of whom nothing is left.

    Without an engine, say so and go on.
    """
    try:
        engine = Engine.connect(session.sources.settings.site.engine)
    except EngineError as error:
        say(f"an earlier run was killed; what it left is swept when an engine answers ({error})")
        return []
    try:
        gone = [owner for owner in dead if not _sweep(session, engine, owner, say)]
    finally:
        engine.close()
    locks.remove_free(session.ws)
    stale.sweep_temporaries(session.ws)
    return gone


def _sweep(session: Session, engine: Engine, owner: Owner, say: Callable[[str], None]) -> list[str]:
    """Remove what one dead owner left; return what could not be removed."""
    ws = session.ws
    swept = reaper.sweep(engine, ws.id, owner.run_id)
    directories, elsewhere = remove_noted(layout.attempts_dir(ws, owner.run_id), owner.run_id)
    left = [*swept.left, *elsewhere]
    if not elsewhere and stale.remove_attempts(ws, owner.run_id):
        left += _remove_foreign(session, engine, owner)
    counts = {
        "containers": swept.containers,
        "networks": swept.networks,
        "volumes": swept.volumes,
        "images": swept.images,
        "builders": swept.builders,
        "temporary directories": directories,
    }
    removed = [f"{count} {what}" for what, count in counts.items() if count]
    if removed:
        say(f"run {owner.run_id} was killed; removed {', '.join(removed)}")
    for name in left:
        say(f"run {owner.run_id} was killed; not removed: {name}; the next start tries again")
    return left


def _remove_foreign(session: Session, engine: Engine, owner: Owner) -> list[str]:
    """Remove attempt directories that hold files of another user, through a container."""
    directory = layout.attempts_dir(session.ws, owner.run_id)
    image = next((image.tag for image in session.graph.images.values()), None)
    if image is None:
        return [str(directory)]
    try:
        remove_tree(engine, directory, image)
    except EngineError as error:
        return [f"{directory}: {error}"]
    return []
