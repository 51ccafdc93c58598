"""The archive of one workspace: images saved from engines and files, loaded into engines, bounded in size."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from errno import EDQUOT, ENOSPC

from benchrouter.engine.archive.checked import Checked
from benchrouter.engine.archive.entries import Entry, EntryStore
from benchrouter.engine.archive.eviction import Evicted, evict
from benchrouter.engine.archive.layers import Layer, LayerStore
from benchrouter.engine.archive.problems import NotAnImageArchive
from benchrouter.engine.archive.reading import Contents, ReadImage, read_archive
from benchrouter.engine.archive.writing import Named, docker_archive
from benchrouter.engine.errors import DiskFull, EngineError
from benchrouter.engine.references import normal_form
from benchrouter.store import layout
from benchrouter.store.locks import lock
from benchrouter.store.workspace import Workspace

_LOCK, _LONGEST_WAIT = "image-archive", 60.0


@dataclass(frozen=True)
class Taken:
    """An image of a stream and the reference that it was taken under."""

    image: ReadImage
    reference: str
    source_id: str = ""
    key: str = ""


class Archive:
    """Layers and entries below `cache/images`; safe for several threads and processes at once."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        root = layout.images_dir(ws)
        self.layers = LayerStore(root / "layers")
        self.entries = EntryStore(root / "entries")
        self._checked = Checked(root / "checked.json")
        self.engines_images: dict[str, tuple[str, ...]] = {}
        """The layers of images that an engine was asked for: an id never changes its meaning."""

    def find(self, reference: str) -> Entry | None:
        """Find an image whose layers are all there, as far as their footers tell."""
        entry = self.entries.find(reference)
        return entry if entry is not None and self._whole(entry) else None

    def all(self) -> Iterator[tuple[Entry, float]]:
        """Yield every image that is whole, and when it was last used."""
        return ((entry, used) for entry, used in self.entries.all() if self._whole(entry))

    def broken(self) -> Iterator[tuple[str, str]]:
        """Yield what counts as missing though there is an entry for it: a reference or a file, and why."""
        for entry, _ in self.entries.all():
            torn = [layer for layer in entry.layers if not self._has(layer)]
            if torn:
                yield entry.reference, f"{len(torn)} of {len(entry.layers)} layers are missing or torn"
        for path in self.entries.unreadable():
            yield str(path), "no entry of an image, or torn"

    def check(self, entry: Entry) -> None:
        """Read all layers through; raise ArchiveDamaged, and drop the layer, when one is not what was written.

        One that was read before is read again only when its file has changed.
        """
        paths = [self.layers.path(layer.diff_id) for layer in entry.layers]
        unread = [layer for layer, path in zip(entry.layers, paths, strict=True) if not self._checked.knows(path)]
        for layer in unread:
            with self.layers.open(layer.diff_id) as opened:
                opened.check()
        if unread:
            self._checked.note(paths)

    def stream(self, images: Named, without: Collection[str] = ()) -> Iterator[bytes]:
        """Yield a docker-archive of some images under the given names, each layer once.

        Raises ArchiveDamaged, at the latest at the end of a damaged layer; a loader then sees a torn stream.
        """
        for entry, _ in images:
            self.entries.touch(entry)
        return docker_archive(self.layers, images, without)

    def take(
        self,
        stream: Iterable[bytes],
        names: Callable[[Sequence[ReadImage]], Sequence[Taken]],
        *,
        known: Mapping[str, str] | None = None,
    ) -> tuple[Entry, ...]:
        """Store the images of a docker-archive under the references that `names` gives them.

        Raises NotAnImageArchive, DiskFull, EngineError.
        """
        with _our_disk(), Contents() as contents:
            read_archive(stream, self.layers, contents, known or {})
            return self._commit(contents, names(contents.images))

    def add_name(self, entry: Entry, reference: str, key: str) -> Entry:
        """Give an image of the archive one more reference."""
        named = replace(entry, reference=normal_form(reference), key=key)
        with self._locked():
            if not self._whole(entry):
                raise EngineError(f"{entry.reference} has just been dropped from the archive; try again")
            self.entries.put(named)
        return named

    def same_image(self, image_id: str) -> Entry | None:
        """Find an image by its id, under whatever reference it is there."""
        return next((entry for entry, _ in self.all() if image_id in (entry.image_id, entry.source_id)), None)

    def known(self) -> dict[str, str]:
        """Map the paths that engines gave the layers which are there to diff ids."""
        return {
            called: layer.diff_id
            for entry, _ in self.entries.all()
            for layer, called in zip(entry.layers, entry.called, strict=True)
        }

    def size(self) -> int:
        """Sum up what the layers take, in bytes."""
        return sum(layer.stored for diff_id in self.layers.all() if (layer := self.layers.find(diff_id)))

    def forget(self, references: Iterable[str]) -> None:
        """Drop some references, and the layers that only they had."""
        with self._locked():
            for reference in references:
                self.entries.remove(reference)
            evict(self.entries, self.layers, self.size(), 0.0)

    def shrink(self, most: int, spare_since: float) -> Evicted:
        """Drop images, the least recently used first, until at most `most` bytes are left.

        What was used at `spare_since` (seconds since the epoch) or later stays: a present plan needs it.
        """
        with self._locked():
            return evict(self.entries, self.layers, most, spare_since)

    def _whole(self, entry: Entry) -> bool:
        return all(map(self._has, entry.layers))

    def _has(self, layer: Layer) -> bool:
        there = self.layers.find(layer.diff_id)
        return there is not None and there.size == layer.size

    def _commit(self, contents: Contents, taken: Sequence[Taken]) -> tuple[Entry, ...]:
        """Give new layers their names, then the images theirs; eviction waits meanwhile."""
        with self._locked():
            for each in taken:
                for layer in each.image.layers:
                    if self.layers.find(layer.diff_id) is None:
                        self._publish(contents, layer.diff_id)
            entries = tuple(self._entry(each) for each in taken)
            for entry in entries:
                self.entries.put(entry)
        return entries

    def _publish(self, contents: Contents, diff_id: str) -> None:
        if diff_id not in contents.fresh:
            raise NotAnImageArchive(f"layer {diff_id} has just been dropped from the archive; try again")
        writer, layer = contents.fresh[diff_id]
        writer.publish(self.layers, layer)

    def _entry(self, taken: Taken) -> Entry:
        image = taken.image
        layers = tuple(self.layers.find(layer.diff_id) or layer for layer in image.layers)
        return Entry(
            reference=normal_form(taken.reference),
            image_id=image.image_id,
            source_id=taken.source_id or image.image_id,
            platform=image.platform,
            key=taken.key,
            layers=layers,
            called=image.called,
            config=image.config,
        )

    @contextmanager
    def _locked(self) -> Iterator[None]:
        held = lock(self._ws, _LOCK, timeout=_LONGEST_WAIT, cancelled=threading.Event())
        if held is None:
            raise EngineError("the image archive is locked by another process for a minute; is it stuck?")
        with held:
            yield


@contextmanager
def _our_disk() -> Iterator[None]:
    """Tell what the file system says from what an engine says."""
    try:
        yield
    except OSError as error:
        text = f"the image archive: {error.filename or 'writing'}: {error.strerror}"
        raise (DiskFull if error.errno in (ENOSPC, EDQUOT) else EngineError)(text) from None
