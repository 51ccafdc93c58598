"""The actions on the image archive: what comes from it, what goes into it, and keeping it within its size."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING

from benchrouter.engine.archive import Archive, ArchiveDamaged, Entry, load, save
from benchrouter.engine.bases import alias_of, present
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import BuildCancelled, DiskFull, EngineError
from benchrouter.engine.images import Image, image_id, inspect_image
from benchrouter.engine.references import parse_reference
from benchrouter.graph.tars import TarNode
from benchrouter.make.runner import AGAIN
from benchrouter.store.journal import oldest_living
from benchrouter.store.locks import try_lock
from benchrouter.store.states import JobState, Outcome

if TYPE_CHECKING:
    from benchrouter.make.run import Run

_POLL = 0.3
_SAVING = "image-archive-save"  # one at a time: what images share is then compressed once
_PACKED = 0.5  # of its size, what an image takes at most as a rule


class ArchiveSteps:
    """Actions of one run on the archive of its workspace."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._session = run.session
        self._settings = run.session.sources.settings
        self._spare_since = oldest_living(run.session.ws) or run.started
        self._looked: dict[str, Entry | None] = {}
        self.archive = Archive(run.session.ws)

    def has(self, reference: str) -> Entry | None:
        """Find an image and read it through, once in a run; what is damaged is said, dropped, and counts as missing."""
        if reference not in self._looked:
            self._looked[reference] = self._sound(reference)
        return self._looked[reference]

    def _sound(self, reference: str) -> Entry | None:
        entry = self.archive.find(reference)
        try:
            if entry is not None:
                self.archive.entries.touch(entry)
                self.archive.check(entry)
        except ArchiveDamaged as error:
            self._run.reporter.note(f"{reference}: {error}")
            return None
        return entry

    def bring(self, engine: Engine, reference: str, name: str) -> bool:
        """Load an image into the engine under a name; False when the archive has it not.

        Raises ArchiveDamaged, DiskFull, EngineError, BuildCancelled.
        """
        entry = self.has(reference)
        if entry is None:
            return False
        try:
            load(self.archive, engine, entry, [name], cancelled=self._run.stop)
        except ArchiveDamaged:
            self._looked[reference] = None
            raise
        return True

    def base(self, ref: str) -> str | None:
        """Get an image from outside out of the archive: the name that it can be used by, None when it is not there."""
        name = _loadable(ref)
        try:
            return name if self.bring(self._run.connected(), ref, name) else None
        except ArchiveDamaged as error:
            self._run.reporter.note(f"base:{ref}: {error}")
            return None

    def holds(self, tar: TarNode) -> bool:
        """Tell whether nothing is to be saved: it is there as the engine has it, or nobody gets it in this run."""
        name, reference = self._source(tar)
        entry = self.has(reference)
        there = image_id(self._run.connected(), name)
        if there is None:
            return entry is not None or not self._will_be_there(tar)
        return entry is not None and there in (entry.image_id, entry.source_id)

    def _will_be_there(self, tar: TarNode) -> bool:
        needs = self._session.needs
        return tar.image in needs.missing or tar.image.removeprefix("base:") in needs.bases

    def _source(self, tar: TarNode) -> tuple[str, str]:
        """Give the name in the engine that an image is saved from, and the reference that it is saved under.

        A stand-in is saved under its own name: it must never pass for the image that it stands in for.
        """
        image = self._session.graph.images.get(tar.image)
        if image is not None:
            return image.tag, image.tag
        ref = tar.image.removeprefix("base:")
        got = self._run.images.bases.get(ref)
        if got is not None:
            return got.used, got.used if got.how == "alias" else ref
        alias = alias_of(ref, self._settings.site)
        if alias is None or present(self._run.connected(), ref) is not None:
            return ref, ref
        return alias, alias

    def save(self, tar: TarNode) -> dict[str, float] | None:
        """Save an image unless another one is being saved; the value asks the runner to come again.

        An image that cannot be saved is said; its jobs go on, from what the engine has.
        """
        if self._run.images.blocked([tar.image]):
            return None
        lock = try_lock(self._session.ws, _SAVING)
        if lock is None:
            return {AGAIN: _POLL}
        with lock:
            began = time.monotonic()
            self._run.reporter.started(tar.name, None)
            try:
                self._save(tar)
            except (EngineError, BuildCancelled) as error:
                self._run.reporter.note(f"{tar.name}: not saved: {error}")
            else:
                seconds = time.monotonic() - began
                self._run.reporter.ended(tar.name, Outcome(JobState.COMPLETED, seconds=seconds))
        return None

    def _save(self, tar: TarNode) -> None:
        engine = self._run.connected()
        name, reference = self._source(tar)
        image = inspect_image(engine, name)
        if image is None:
            return  # of outside, and nobody needed it
        node = self._session.graph.images.get(tar.image)
        key = node.key if node else ""
        self._make_room(image.size)
        try:
            self._stored(engine, image, reference, key)
        except DiskFull:
            if not self._dropped(self.archive.shrink(0, self._spare_since).references):
                raise
            self._stored(engine, image, reference, key)
        gone = self.archive.shrink(self._settings.cache.max_size, self._spare_since)
        self._dropped(gone.references)
        if gone.left > self._settings.cache.max_size:
            self._run.reporter.note(
                f"the image archive takes {gone.left >> 20} MiB, more than cache.max_size: this run needs all of it"
            )

    def _stored(self, engine: Engine, image: Image, reference: str, key: str) -> None:
        self._looked[reference] = save(
            self.archive, engine, image, reference, key=key, cancelled=self._run.stop
        )

    def _make_room(self, size: int) -> None:
        """Drop what is not needed where the disk would be too full; DiskFull when that is not enough."""
        wanted = round(size * _PACKED) + self._settings.site.limits.free_disk
        short = wanted - shutil.disk_usage(self._session.ws.cache).free
        if short > 0:
            gone = self.archive.shrink(max(0, self.archive.size() - short), self._spare_since)
            self._dropped(gone.references)
        if wanted > shutil.disk_usage(self._session.ws.cache).free:
            raise DiskFull(f"{wanted >> 20} MiB wanted on the disk of {self._session.ws.cache}")

    def _dropped(self, references: tuple[str, ...]) -> bool:
        if references:
            self._run.reporter.note(f"dropped from the image archive for space: {', '.join(references)}")
        return bool(references)


def _loadable(ref: str) -> str:
    """Give a name that an engine can load an image under: no archive can give one that is pinned by digest."""
    wanted = parse_reference(ref)
    if not wanted.digest:
        return ref
    return f"benchrouter-pinned/{wanted.path}:{wanted.digest.partition(':')[2]}"
