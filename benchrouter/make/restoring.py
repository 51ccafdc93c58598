"""Images that a run had got and that something else took from the engine since: a pruning job, another workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchrouter.engine.bases import present
from benchrouter.engine.errors import EngineError
from benchrouter.engine.images import image_id
from benchrouter.graph.nodes import ImageNode, JobNode
from benchrouter.graph.tars import only_preloaded

if TYPE_CHECKING:
    from benchrouter.make.image_steps import ImageSteps
    from benchrouter.make.run import Run

Again = dict[str, float] | None
"""What an action returns that has to come again, because another run or job is building what it needs."""


class Restoring:
    """Looks once more for images of one run, and gets those again that are gone."""

    def __init__(self, run: Run, images: ImageSteps) -> None:
        self._run = run
        self._images = images
        self._graph = run.session.graph

    def of_job(self, job: JobNode) -> Again:
        """Get what a job uses and the engine has no more; a failure is noted as at the first time."""
        spared = only_preloaded(job)
        outside = {name: ref for ref, name in job.uses.items() if name not in self._graph.images}
        try:
            for name in job.images:
                reference = outside.get(name) or self._graph.images[name].tag
                if name in spared and self._run.archive.has(reference) is not None:
                    continue
                if name in outside:
                    self._base(outside[name])
                elif (again := self._environment(self._graph.images[name])) is not None:
                    return again
        except EngineError:
            pass  # whoever needs the image will say so
        return None

    def parts_of(self, image: ImageNode) -> Again:
        """Get what an image is built on and the engine has no more; raise EngineError when it cannot be asked."""
        for ref in image.bases:
            self._base(ref)
        for name in image.siblings.values():
            again = self._environment(self._graph.images[name])
            if again is not None:
                return again
        return None

    def _base(self, ref: str) -> None:
        got = self._images.bases.get(ref)
        if ref in self._images.missing or (got and present(self._run.connected(), got.used)):
            return
        self._images.get_base(self._graph.bases[ref])

    def _environment(self, image: ImageNode) -> Again:
        if image.name in self._images.failed or image_id(self._run.connected(), image.tag) is not None:
            return None
        return self._images.build(image)
