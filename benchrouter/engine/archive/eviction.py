"""Keeping the archive within its size: the least recently used images go first, then the layers that none needs."""

from __future__ import annotations

import time
from dataclasses import dataclass

from benchrouter.engine.archive.entries import EntryStore
from benchrouter.engine.archive.layers import LayerStore
from benchrouter.store.atomic import TEMPORARY

_ABANDONED = 3600.0


@dataclass(frozen=True)
class Evicted:
    """The references that went, and the bytes that are left."""

    references: tuple[str, ...]
    left: int


def evict(entries: EntryStore, layers: LayerStore, most: int, spare_since: float) -> Evicted:
    """Drop images until `most` bytes are left or only those used since `spare_since` are; the caller holds the lock."""
    oldest_first = sorted(entries.all(), key=lambda pair: pair[1])
    users: dict[str, int] = {}
    for entry, _ in oldest_first:
        for layer in {layer.diff_id for layer in entry.layers}:
            users[layer] = users.get(layer, 0) + 1
    sizes = {diff_id: _stored(layers, diff_id) for diff_id in layers.all()}
    for diff_id in [each for each in sizes if each not in users]:
        layers.drop(diff_id)
        del sizes[diff_id]
    _drop_abandoned(layers)
    gone: list[str] = []
    for entry, used in oldest_first:
        if sum(sizes.values()) <= most or used >= spare_since:
            break
        entries.remove(entry.reference)
        gone.append(entry.reference)
        for diff_id in {layer.diff_id for layer in entry.layers}:
            users[diff_id] -= 1
            if not users[diff_id]:
                layers.drop(diff_id)
                sizes.pop(diff_id, None)
    return Evicted(tuple(gone), sum(sizes.values()))


def _stored(layers: LayerStore, diff_id: str) -> int:
    found = layers.find(diff_id)
    return found.stored if found else 0


def _drop_abandoned(layers: LayerStore) -> None:
    """Remove what killed writers left."""
    for path in layers.root.glob(f".*{TEMPORARY}"):
        try:
            if path.stat().st_mtime < time.time() - _ABANDONED:
                path.unlink()
        except FileNotFoundError:
            continue
