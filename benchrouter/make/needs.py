"""What the jobs of one command need: images from engine, archive or build, what these build on, what is archived."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING

from benchrouter.graph.nodes import ImageNode, JobNode
from benchrouter.graph.tars import TarNode, only_preloaded, tars_of

if TYPE_CHECKING:
    from benchrouter.make.session import Session


class Needs:
    """Answers for one session, worked out on demand; what needs an engine is empty where none can be asked."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @cached_property
    def jobs(self) -> tuple[JobNode, ...]:
        """Jobs that the command runs, but for those that cannot run on this machine, or as things are."""
        session = self._session
        return tuple(
            job for job in session.due_jobs if not (session.unsupported.why(job) or session.lacking.supplies(job))
        )

    @cached_property
    def images(self) -> dict[str, ImageNode]:
        """Images of environments that the jobs use or build on, siblings first, and those that are named themselves."""
        graph = self._session.graph
        used = graph.images_of(self.jobs)
        return {name: image for name, image in graph.images.items() if name in used or name in self._wanted}

    @cached_property
    def _wanted(self) -> frozenset[str]:
        """Images that jobs use, or that are named or to be refreshed: not those that they build on."""
        images = self._session.graph.images
        used = {name for job in self.jobs for name in self._in_engine(job) if name in images}
        return frozenset(used | {name for name, image in images.items() if image.refresh or self._is_named(name)})

    def _is_named(self, image: str) -> bool:
        tar = TarNode(image).name
        return any(fnmatchcase(image, w) or fnmatchcase(tar, w) or w in ("image", "tar") for w in self._session.named)

    @cached_property
    def missing(self) -> dict[str, ImageNode]:
        """Images that the engine has not, or that are refreshed; what they build on counts only if they are built."""
        session = self._session
        engine = session.run.engine if session.live else None
        if engine is None:
            return {}
        from benchrouter.engine.images import image_id

        images = session.graph.images
        missing: set[str] = set()
        waiting = [*self._wanted]
        while waiting:
            name = waiting.pop()
            image = images[name]
            if name in missing or not (image.refresh or image_id(engine, image.tag) is None):
                continue
            missing.add(name)
            if self._is_to_build(image):
                waiting += image.siblings.values()
        return {name: image for name, image in images.items() if name in missing}

    @cached_property
    def to_build(self) -> dict[str, ImageNode]:
        """Missing images that the archive cannot give."""
        return {name: image for name, image in self.missing.items() if self._is_to_build(image)}

    def _is_to_build(self, image: ImageNode) -> bool:
        session = self._session
        possible = not session.lacking.supplies_of(image)
        return possible and (image.refresh or session.run.archive.has(image.tag) is None)

    @cached_property
    def bases(self) -> tuple[str, ...]:
        """References from outside to get: those that images are built on, or that jobs use."""
        refs = [ref for image in self.to_build.values() for ref in image.bases]
        return tuple(dict.fromkeys([*refs, *self._outside()]))

    def _outside(self) -> Iterator[str]:
        images = self._session.graph.images
        for job in self.jobs:
            wanted = {name for name in self._in_engine(job) if name not in images} if job.uses else ()
            yield from (ref for ref, name in job.uses.items() if name in wanted)

    def _in_engine(self, job: JobNode) -> Iterator[str]:
        """Name the images that the engine has to have: what a job only preloads can come from the archive."""
        spared = only_preloaded(job)
        return (name for name in job.images if not (name in spared and self._is_archived(name)))

    def _is_archived(self, name: str) -> bool:
        session = self._session
        image = session.graph.images.get(name)
        reference = image.tag if image else name.removeprefix("base:")
        return session.live is not None and session.run.archive.has(reference) is not None

    @cached_property
    def named_bases(self) -> tuple[str, ...]:
        """References of the base images that are named themselves."""
        session = self._session
        return tuple(
            ref
            for ref, base in session.graph.bases.items()
            if any(fnmatchcase(base.name, word) or word == "base" for word in session.named)
        )

    @property
    def everything_archived(self) -> bool:
        """Tell whether the archive holds every image: as the variable says, else the settings, else in CI."""
        session = self._session
        asked = session.variables.cache
        if asked is None:
            asked = session.sources.settings.cache.images
        return session.environ.get("CI", "").lower() not in ("", "0", "false") if asked is None else asked

    @cached_property
    def all_tars(self) -> dict[str, TarNode]:
        """What the archive is to hold for all jobs; of everything also what no job uses, where no model is given."""
        graph = self._session.graph
        found = tars_of(graph, graph.jobs, everything=self.everything_archived)
        if self.everything_archived:
            nodes = [*(base.name for base in graph.bases.values()), *graph.images]
            found |= {tar.name: tar for tar in map(TarNode, nodes)}
        return found

    @cached_property
    def tars(self) -> dict[str, TarNode]:
        """What the archive is to hold for the jobs, and does not hold as the engine has it."""
        session = self._session
        if session.live is None or session.run.engine is None:
            return {}
        needed = tars_of(session.graph, self.jobs, everything=self.everything_archived)
        return {name: tar for name, tar in needed.items() if not session.run.archive.holds(tar)}
