"""The actions on images: get a base, build an environment once per key, remember what failed and why."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from benchrouter.engine.bases import BaseImage, ensure_base
from benchrouter.engine.build import BuildRequest, build
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import BuildCancelled, DiskFull, EngineError, ImageBuildFailed, ImageMissing
from benchrouter.engine.images import image_id, remove_name
from benchrouter.graph.nodes import BaseNode, ImageNode, JobNode, base_name
from benchrouter.make.lockfile import read_epochs, write_epochs
from benchrouter.make.obtaining import hint
from benchrouter.make.restoring import Again, Restoring
from benchrouter.make.runner import AGAIN
from benchrouter.make.trees import environment_changed
from benchrouter.store import layout
from benchrouter.store.atomic import make_dirs
from benchrouter.store.builds import failed_build, record_failed_build
from benchrouter.store.locks import try_lock
from benchrouter.store.states import JobState, Outcome, Reason

if TYPE_CHECKING:
    from benchrouter.make.run import Run

_POLL = 0.3


class ImageSteps:
    """Actions of one run; `failed` images and `missing` bases map to their jobs' outcome."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._session = run.session
        self._site = run.session.sources.settings.site
        self.missing: dict[str, Outcome] = {}
        self.bases: dict[str, BaseImage] = {}
        self.failed: dict[str, Outcome] = {}
        self.restoring = Restoring(run, self)

    def give_up(self, ref: str, detail: str) -> None:
        """Take note that a base image cannot be had; it is not asked for again in this run."""
        self.missing[ref] = Outcome(JobState.FAILED, Reason.IMAGE_MISSING, detail)

    def buildable(self) -> list[ImageNode]:
        """List the images to build, but for those on a base that was given up."""
        without: set[str] = {base_name(ref) for ref in self.missing}
        found = []
        for image in self._session.needs.to_build.values():  # siblings come first
            if without.isdisjoint((*map(base_name, image.bases), *image.siblings.values())):
                found.append(image)
            else:
                without.add(image.name)
        return found

    def get_base(self, base: BaseNode) -> None:
        """Get a base image; when it cannot be had, the images on it and their jobs say so."""
        if base.ref in self.missing:
            return
        began = time.monotonic()
        self._run.reporter.started(base.name, None)
        try:
            self.bases[base.ref] = ensure_base(
                self._run.connected(),
                base.ref,
                self._site,
                cancelled=self._run.stop,
                on_line=lambda text: self._run.reporter.line(base.name, text),
                platform=self._platform(base.ref),
                refresh=any(base.ref in image.bases for image in self._refreshed()),
                from_archive=self._run.archive.base,
                to_get=hint(self._session, base.ref),
            )
        except (EngineError, BuildCancelled) as error:
            self.missing[base.ref] = _outcome(error)
        outcome = self.missing.get(base.ref, Outcome(JobState.COMPLETED))
        self._run.reporter.ended(base.name, _timed(outcome, began))

    def _refreshed(self) -> list[ImageNode]:
        return [image for image in self._session.graph.images.values() if image.refresh]

    def _platform(self, ref: str) -> str | None:
        """Give the platform that the images on this base want; an engine holds one per reference."""
        wanted = (image.facts.platform for image in self._session.graph.images.values() if ref in image.bases)
        return next((platform for platform in wanted if platform), None)

    def build(self, image: ImageNode) -> Again:
        """Load or build an image unless another run does now; the value asks the runner to come again."""
        lacking = self._session.lacking.supplies_of(image)
        if lacking:
            self.failed[image.name] = Outcome(JobState.FAILED, Reason.IMAGE_MISSING, "; ".join(lacking))
            self._run.reporter.ended(image.name, self.failed[image.name])
            return None
        lock = try_lock(self._session.ws, image.key)
        if lock is None:
            return {AGAIN: _POLL}
        with lock:
            began = time.monotonic()
            again, blocked = self._parts(image)
            if again is not None:
                return again
            if blocked is not None:
                self.failed[image.name] = blocked
                return None
            self._run.reporter.started(image.name, None)
            outcome = self._adopted_failure(image) or self._build(image)
            if not outcome.completed:
                self.failed[image.name] = outcome
            self._run.reporter.ended(image.name, _timed(outcome, began))
        return None

    def _parts(self, image: ImageNode) -> tuple[Again, Outcome | None]:
        """See that the engine has what an image that has to be built is built on; the outcome says what it lacks."""
        parts = (*map(base_name, image.bases), *image.siblings.values())
        try:
            engine = self._run.connected()
            if image_id(engine, image.tag) or (not image.refresh and self._run.archive.has(image.tag)):
                return None, None
            again = None if self.blocked(parts) else self.restoring.parts_of(image)
        except EngineError:
            return None, self.blocked(parts)  # building will tell
        return again, self.blocked(parts)

    def _adopted_failure(self, image: ImageNode) -> Outcome | None:
        """Take over how another invocation's build failed since this run began."""
        return failed_build(self._session.ws, image.key, self._run.id, self._run.started)

    def blocked(self, names: Iterable[str]) -> Outcome | None:
        """Give the outcome of the first of these image nodes that could not be had; None when all could."""
        known = {**self.failed, **{base_name(ref): outcome for ref, outcome in self.missing.items()}}
        return next((known[name] for name in names if name in known), None)

    def names_of(self, job: JobNode) -> dict[str, str]:
        """Map the images that a job uses beside its own, as it writes them, to their names in the engine."""
        return {ref: self._name_of(ref, name) for ref, name in job.uses.items()}

    def neighbours_of(self, job: JobNode) -> tuple[str, ...]:
        """List what the run's jobs preload into daemons of this job's environment, by the engine's names."""
        return tuple(self._name_of(ref, name) for ref, name in self._preloaded.get(job.image, {}).items())

    @cached_property
    def _preloaded(self) -> dict[str, dict[str, str]]:
        preloaded: dict[str, dict[str, str]] = {}
        for job in self._session.needs.jobs:
            refs = job.facts.task().docker_images if job.facts.docker else ()
            preloaded.setdefault(job.image, {}).update({ref: job.uses[ref] for ref in refs if ref in job.uses})
        return preloaded

    def _name_of(self, ref: str, name: str) -> str:
        images = self._session.graph.images
        return images[name].tag if name in images else self.bases[ref].used if ref in self.bases else ref

    def _build(self, image: ImageNode) -> Outcome:
        try:
            engine = self._run.connected()
            if image_id(engine, image.tag) is None and not self._from_archive(engine, image):
                self._build_anew(engine, image)
            self._note_refresh(image)
        except BuildCancelled as error:
            return _outcome(error)
        except (EngineError, ImageBuildFailed) as error:
            outcome = _outcome(error)
            record_failed_build(self._session.ws, image.key, self._run.id, outcome)
            return outcome
        return Outcome(JobState.COMPLETED)

    def _from_archive(self, engine: Engine, image: ImageNode) -> bool:
        loaded = not image.refresh and self._run.archive.bring(engine, image.tag, image.tag)
        if loaded:
            self._run.reporter.note(f"{image.name}: from the archive")
        return loaded

    def _build_anew(self, engine: Engine, image: ImageNode) -> None:
        build(
            engine,
            self._request(image),
            lambda text: self._run.reporter.line(image.name, text),
            self._run.stop,
        )
        changed = environment_changed(image.facts)
        if changed is not None:
            # The name would promise content that the image may not have.
            remove_name(engine, image.tag)
            raise BuildCancelled(changed)

    def _request(self, image: ImageNode) -> BuildRequest:
        graph, facts = self._session.graph, image.facts
        bases = {ref: self.bases[ref].used for ref in image.bases if ref in self.bases}
        siblings = {ref: graph.images[name].tag for ref, name in image.siblings.items()}
        return BuildRequest(
            tag=image.tag,
            key=image.key,
            dockerfile=facts.dockerfile,
            context=facts.root,
            workspace_id=self._session.ws.id,
            run_id=self._run.id,
            context_paths=tuple(entry.path for entry in facts.tree().entries if entry.path),
            build_args=facts.build_args,
            platform=facts.platform,
            bases={**bases, **siblings},
            no_cache=image.refresh,
            owner=self._run.journal.owner.label,
            site=self._site,
            scratch=self._scratch(),
            base_facts=self._base_facts(image),
        )

    def _base_facts(self, image: ImageNode) -> dict[str, dict[str, object]]:
        known = {ref: self.bases[ref] for ref in image.bases if ref in self.bases}
        return {
            ref: {"used": base.used, "id": base.image_id, "digests": list(base.repo_digests), "from": base.how}
            for ref, base in known.items()
        }

    def _scratch(self) -> Path:
        """Give a place for copies of contexts that a sweep of this run finds: they may be large, and hold secrets."""
        directory = layout.attempts_dir(self._session.ws, self._run.id)
        make_dirs(directory, durable=False)
        return directory

    def _note_refresh(self, image: ImageNode) -> None:
        if not image.refresh:
            return
        root = self._session.ws.root
        write_epochs(root, {**read_epochs(root), image.label: image.epoch})


def _timed(outcome: Outcome, began: float) -> Outcome:
    seconds = time.monotonic() - began
    return Outcome(outcome.state, outcome.reason, outcome.detail, seconds=seconds, log_tail=outcome.log_tail)


def _outcome(error: Exception) -> Outcome:
    """Turn what the engine floor raises into the outcome of the jobs that needed the image."""
    reasons: tuple[tuple[type[Exception], Reason], ...] = (
        (ImageMissing, Reason.IMAGE_MISSING),
        (DiskFull, Reason.DISK),
        (ImageBuildFailed, Reason.IMAGE_BUILD),
        (BuildCancelled, Reason.CANCELLED),
    )
    reason = next((found for kind, found in reasons if isinstance(error, kind)), Reason.ENGINE)
    return Outcome(JobState.FAILED, reason, str(error), log_tail=getattr(error, "tail", ""))
