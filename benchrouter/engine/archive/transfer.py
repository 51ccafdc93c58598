"""Between an engine and the archive: saving an image from the one, loading it into the other."""

from __future__ import annotations

import threading
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import closing
from typing import Any

from benchrouter.engine.archive.ahead import made_ahead
from benchrouter.engine.archive.archive import Archive, Taken
from benchrouter.engine.archive.entries import Entry
from benchrouter.engine.archive.problems import ArchiveDamaged, NotAnImageArchive
from benchrouter.engine.archive.reading import ReadImage
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import BuildCancelled, DiskFull, EngineError, means_disk_full
from benchrouter.engine.feed import get, post
from benchrouter.engine.images import Image

_CLASSIC = ("overlay2", "vfs", "fuse-overlayfs", "btrfs", "zfs", "aufs", "devicemapper")
"""Storage drivers of engines that keep images as layers of their own; others have the containerd store."""


def save(
    archive: Archive, engine: Engine, image: Image, reference: str, *, key: str = "", cancelled: threading.Event
) -> Entry:
    """Save an engine's image under a reference, unless it is there; only layers that are new are stored.

    Raises DiskFull, EngineError, BuildCancelled.
    """
    there = archive.find(reference)
    if there is not None and image.id in (there.image_id, there.source_id):
        return there
    twin = archive.same_image(image.id)
    if twin is not None:
        return archive.add_name(twin, reference, key)
    try:
        return _save(archive, engine, image, reference, key, cancelled, archive.known())
    except NotAnImageArchive:
        # A layer was dropped meanwhile, or a path misled: read everything.
        return _save(archive, engine, image, reference, key, cancelled, {})


def _save(
    archive: Archive,
    engine: Engine,
    image: Image,
    reference: str,
    key: str,
    cancelled: threading.Event,
    known: dict[str, str],
) -> Entry:
    def named(images: Sequence[ReadImage]) -> list[Taken]:
        return [Taken(images[0], reference, image.id, key)]

    with closing(_saved(engine, image, reference, cancelled)) as stream:
        (entry,) = archive.take(stream, named, known=known)
    return entry


def _saved(engine: Engine, image: Image, reference: str, cancelled: threading.Event) -> Generator[bytes, None, None]:
    with engine.errors(f"saving image {reference}"):
        yield from get(engine, "/images/{0}/get", image.id, cancelled)


def load(
    archive: Archive, engine: Engine, entry: Entry, names: Sequence[str], *, cancelled: threading.Event
) -> None:
    """Load an image into an engine under some names, without the layers that the engine has.

    Raises ArchiveDamaged, DiskFull, EngineError, BuildCancelled.
    """
    there = layers_in(engine, entry, archive.engines_images)
    try:
        _load(archive, engine, entry, names, cancelled, there)
    except (ArchiveDamaged, DiskFull, BuildCancelled):
        raise
    except EngineError:
        if not there:
            raise
        _load(archive, engine, entry, names, cancelled, ())  # what it had may be gone by now


def _load(
    archive: Archive,
    engine: Engine,
    entry: Entry,
    names: Sequence[str],
    cancelled: threading.Event,
    there: Collection[str],
) -> None:
    doing = f"loading image {entry.reference} from the archive"
    with closing(made_ahead(archive.stream([(entry, names)], there))) as stream, engine.errors(doing):
        body = _until(cancelled, stream)
        for said in post(
            engine, "/images/load", {"quiet": 1}, cancelled, headers={"Content-Type": "application/x-tar"}, body=body
        ):
            if said.get("error"):
                raise _refusal(doing, str(said["error"]))


def _until(cancelled: threading.Event, stream: Iterator[bytes]) -> Iterator[bytes]:
    for block in stream:
        if cancelled.is_set():
            raise BuildCancelled("stopped because the run was")
        yield block


def _refusal(doing: str, said: str) -> EngineError:
    return DiskFull(f"{doing}: {said}") if means_disk_full(said) else EngineError(f"{doing}: {said}")


def layers_in(engine: Engine, entry: Entry, known: dict[str, tuple[str, ...]]) -> Collection[str]:
    """Find the lowest layers of an image that the engine has in the same order, in some image of its own.

    `known` maps images that were looked at before to their layers, and learns new ones.
    """
    if engine.info.storage_driver not in _CLASSIC:
        return ()
    wanted = [layer.diff_id for layer in entry.layers]
    with engine.errors("asking for the engine's layers"):
        found = [_layers_of(engine, str(image["Id"]), known) for image in engine.api.images()]
    longest = max((_common(wanted, layers) for layers in found), default=0)
    # A layer that comes twice must be in the stream if its second place is not the engine's.
    return frozenset(wanted[:longest]) - frozenset(wanted[longest:])


def _layers_of(engine: Engine, image: str, known: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    from docker.errors import ImageNotFound

    if image not in known:
        api: Any = engine.api
        try:
            said = api.inspect_image(image)
        except ImageNotFound:
            return ()  # removed since it was listed
        known[image] = tuple((said.get("RootFS") or {}).get("Layers") or ())
    return known[image]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
