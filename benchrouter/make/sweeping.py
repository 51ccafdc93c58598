"""The start of a run: sweep up after owners of this workspace that died."""

from __future__ import annotations

from collections.abc import Callable

from benchrouter.engine import reaper
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError
from benchrouter.engine.ownership import remove_tree
from benchrouter.make.session import Session
from benchrouter.store import journal, layout, locks, stale
from benchrouter.store.journal import Owner


def sweep(session: Session, dead: list[Owner], say: Callable[[str], None]) -> None:
    """Remove what dead owners left in engine and cache; without an engine, say so and go on."""
    try:
        engine = Engine.connect(session.sources.settings.site.engine)
    except EngineError as error:
        say(f"an earlier run was killed; what it left is swept when an engine answers ({error})")
        return
    try:
        for owner in dead:
            _sweep(session, engine, owner, say)
    finally:
        engine.close()
    locks.remove_free(session.ws)
    stale.sweep_temporaries(session.ws)


def _sweep(session: Session, engine: Engine, owner: Owner, say: Callable[[str], None]) -> None:
    ws = session.ws
    swept = reaper.sweep(engine, ws.id, owner.run_id)
    left = [*swept.left]
    if stale.remove_attempts(ws, owner.run_id):
        left += _remove_foreign(session, engine, owner)
    counts = {
        "containers": swept.containers,
        "networks": swept.networks,
        "volumes": swept.volumes,
        "images": swept.images,
        "builders": swept.builders,
    }
    removed = [f"{count} {what}" for what, count in counts.items() if count]
    if removed:
        say(f"run {owner.run_id} was killed; removed {', '.join(removed)}")
    for name in left:
        say(f"run {owner.run_id} was killed; not removed: {name}; the next start tries again")
    if not left:
        journal.forget(ws, owner)


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
