"""What `cache/` holds, how large it is, and what of it may go while runs are under way."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from benchrouter.keys.cache import sweep
from benchrouter.make.session import Session
from benchrouter.make.variables import UsageError
from benchrouter.spec import values
from benchrouter.store import layout, locks, stale
from benchrouter.store.workspace import Workspace

_PARTS = {
    "images": "archived images (`cache prune` shrinks it, `clean` removes it)",
    "seeds": "file systems from which daemons of tasks begin",
    "models": "installed models, kept by `clean` unless asked",
    "trees": "copies of task directories with links",
    "config": "rendered run configuration",
    "hashes": "what was hashed before",
    "attempts": "jobs under way",
}


@dataclass(frozen=True)
class Part:
    """A directory of the cache; `size` in bytes on disk."""

    name: str
    about: str
    size: int


def sizes(ws: Workspace) -> list[Part]:
    """Measure the parts of the cache that are there, the largest first."""
    there = sorted(path.name for path in ws.cache.iterdir() if path.is_dir()) if ws.cache.is_dir() else []
    parts = [Part(name, _PARTS.get(name, ""), _on_disk(str(ws.cache / name))) for name in there]
    return sorted(parts, key=lambda part: -part.size)


def _on_disk(root: str) -> int:
    """Count the blocks below a directory, of a sparse file those that it has."""
    total = 0
    for directory, _, files in os.walk(root):
        for name in files:
            try:
                total += os.lstat(os.path.join(directory, name)).st_blocks * 512
            except OSError:
                continue
    return total


def prune(session: Session, most: str | None) -> list[str]:
    """Shrink the archive to a size, else to the settings' one, and sweep leftovers; name what went."""
    from benchrouter.engine.archive import Archive
    from benchrouter.store.journal import oldest_living

    ws = session.ws
    try:
        limit = session.sources.settings.cache.max_size if most is None else values.size(most)
    except ValueError as error:
        raise UsageError(f"--max-size {most}: {error}") from None
    removed: list[str] = []
    archive = Archive(ws)
    if archive.layers.root.is_dir():
        gone = archive.shrink(limit, oldest_living(ws) or time.time())
        removed += [f"archived image {reference}" for reference in gone.references]
    removed += [str(path.relative_to(ws.root)) for path in stale.sweep_temporaries(ws)]
    locks.remove_free(ws)
    dropped = sweep(layout.hashes_dir(ws))
    hashes = f"{dropped} cache{'s' * (dropped != 1)} of hashes, of directories that are no longer there"
    return [*removed, *([hashes] if dropped else [])]
