"""The images that a job's own daemon begins with: under which names, and how they come out of archive or engine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchrouter.engine.archive import Archive, Entry, load
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import ImageMissing
from benchrouter.engine.images import inspect_image
from benchrouter.engine.references import same_image

_BLOCK = 1 << 20

Source = Callable[[], Iterator[bytes]]
"""Opens a stream of an archive in the form of `docker save`."""


@dataclass(frozen=True)
class Preload:
    """What is loaded: `names` maps each name that the task uses to the engine's, `ids` the engine's to image ids.

    `size` is in bytes, unpacked, layers that images share counted for each. `archived` are the images with their names
    where the archive has all of them; else they come out of the engine.
    """

    names: Mapping[str, str]
    ids: Mapping[str, str]
    size: int
    archived: tuple[tuple[Entry, tuple[str, ...]], ...] = ()

    @property
    def tags(self) -> tuple[tuple[str, str], ...]:
        """Pair what an archive calls an image with what the task calls it; digests and ids cannot be given."""
        return tuple((source, name) for name, source in self.names.items() if not _is_digest(name))

    @property
    def spare(self) -> tuple[str, ...]:
        """Name what an archive brings along and the task does not use."""
        wanted = [name for name in self.names if "@" not in name]
        return tuple(
            source for source in self.ids if "@" not in source and not any(same_image(source, n) for n in wanted)
        )

    @property
    def lines(self) -> list[str]:
        """Say it to the entrypoint: pairs of what an archive calls an image and the task does, `-` for not at all."""
        return [*(f"{source} {name}" for source, name in self.tags), *(f"{source} -" for source in self.spare)]

    def known_as(self, inside: Mapping[str, str]) -> dict[str, str]:
        """Map the task's names to ids in a daemon, given what the engine's ids are there."""
        return {name: inside[self.ids[source]] for name, source in self.names.items()}


def _is_digest(name: str) -> bool:
    return "@" in name or name.startswith("sha256:")


def preload_of(engine: Engine, archive: Archive, names: Mapping[str, str], cancelled: threading.Event) -> Preload:
    """Look up the images in the archive, or in the engine where it lacks one; raise ImageMissing for one in neither."""
    entries = {source: archive.find(source) for source in names.values()}
    found = {source: entry for source, entry in entries.items() if entry is not None}
    if len(found) == len(entries):
        ids = {source: entry.image_id for source, entry in found.items()}
        archived = tuple((entry, () if "@" in source else (source,)) for source, entry in found.items())
        return Preload(dict(names), ids, sum(entry.size for entry in found.values()), archived)
    for source, entry in found.items():
        if inspect_image(engine, source) is None:
            load(archive, engine, entry, [source], cancelled=cancelled)
    return _of_engine(engine, names)


def _of_engine(engine: Engine, names: Mapping[str, str]) -> Preload:
    ids: dict[str, str] = {}
    size = 0
    for source in dict.fromkeys(names.values()):
        found = inspect_image(engine, source)
        if found is None:
            raise ImageMissing(f"the engine has no image {source}, which the task's own daemon is to be given")
        ids[source] = found.id
        size += found.size
    return Preload(dict(names), ids, size)


def saved(engine: Engine, archive: Archive, preload: Preload) -> Iterator[bytes]:
    """Stream one archive of all images; a layer that several share is in it once."""
    if preload.archived:
        yield from archive.stream(preload.archived)
        return
    api: Any = engine.slow
    with engine.errors("saving the images for a task's own daemon"):
        params = {"names": list(preload.ids)}
        answer = api.get(api._url("/images/get"), params=params, stream=True, timeout=api.timeout)
        api._raise_for_status(answer)
        try:
            yield from answer.iter_content(_BLOCK)
        finally:
            answer.close()


def widened(
    engine: Engine,
    archive: Archive,
    preload: Preload,
    others: Iterable[str],
    most: int,
    cancelled: threading.Event,
) -> Preload:
    """Add the images of other tasks that are there by now, unless all together are larger than `most` bytes."""
    there = [
        source
        for source in others
        if source not in preload.ids and (archive.find(source) or inspect_image(engine, source))
    ]
    if not there:
        return preload
    wide = preload_of(engine, archive, {**preload.names, **{source: source for source in there}}, cancelled)
    return wide if wide.size <= most else preload
