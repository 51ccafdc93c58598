"""What dodo.py calls: which nodes doit sees, what each needs, and the action behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from benchrouter.graph.nodes import AggregateNode, BaseNode, ImageNode, JobNode, base_name
from benchrouter.graph.tars import TarNode, tars_before
from benchrouter.make.session import Session, current

CONFIG: Mapping[str, Any] = {
    "default_tasks": ["aggregate"],
    "backend": "none",
    "verbosity": 2,
}

Check = Callable[[], bool]


class Recipes:
    """Nodes of the running command's session; the actions belong to its run, which only `doit run` has."""

    @cached_property
    def session(self) -> Session:
        """The running command's session; first asked for by a creator, so in the main thread."""
        return current()

    def bases(self) -> Iterable[BaseNode]:
        """Images from outside: all, or those that a missing image builds on or a job uses."""
        session = self.session
        if not session.pruned:
            return session.graph.bases.values()
        return [base for ref, base in session.graph.bases.items() if ref in session.needs.bases]

    def images(self) -> Iterable[ImageNode]:
        """Environment images: all, or those that jobs need and the engine has not."""
        session = self.session
        return (session.needs.missing if session.pruned else session.graph.images).values()

    def jobs(self) -> Iterable[JobNode]:
        """Jobs: all, or those that have to run."""
        return self.session.stale_jobs if self.session.pruned else self.session.graph.jobs

    def aggregates(self) -> Iterable[AggregateNode]:
        """Aggregates: all, or those that have to be written."""
        return self.session.stale_aggregates if self.session.pruned else self.session.graph.aggregates

    def needs_of_image(self, image: ImageNode) -> list[str]:
        """Bases and sibling images; none for an image that the engine or the archive has."""
        if self.session.runs and image.name not in self.session.needs.to_build:
            return []
        siblings = [name for name in image.siblings.values() if self._shown(name)]
        return [*map(base_name, image.bases), *siblings]

    def tars(self) -> Iterable[TarNode]:
        """Places in the archive: all, or those that have to be filled."""
        return self._tars().values()

    def _tars(self) -> Mapping[str, TarNode]:
        return self.session.needs.tars if self.session.pruned else self.session.needs.all_tars

    def needs_of_tar(self, tar: TarNode) -> list[str]:
        """The image itself."""
        return [tar.image] if self._shown(tar.image) else []

    def _shown(self, name: str) -> bool:
        """Tell whether doit sees an image's node, of an environment or from outside."""
        session = self.session
        if name in session.graph.images:
            return not session.pruned or name in session.needs.missing
        # An image from outside has no check of its own: what nobody needs is not to be got because a node was named.
        return not session.runs or name in map(base_name, session.needs.bases)

    def needs_of_job(self, job: JobNode) -> list[str]:
        """The image and the rendered configuration; for doit's run none of a job that is up to date or cannot run."""
        if self.session.runs and (job.id not in self.session.stale_ids or self.session.unsupported.why(job)):
            return []
        images = [name for name in dict.fromkeys(job.images) if self._shown(name)]
        tars = tars_before(self.session.graph, job, everything=self.session.needs.everything_archived)
        shown = self._tars()
        return [*images, *(tar.name for tar in tars if tar.name in shown), f"config:{job.label}"]

    def needs_of_aggregate(self, aggregate: AggregateNode) -> list[str]:
        """The jobs; only those that have to run when doit runs it."""
        stale = self.session.stale_ids
        return [job.name for job in aggregate.jobs if not self.session.runs or job.id in stale]

    def image_is_there(self, image: ImageNode) -> Check:
        """Ask the engine, when doit comes to it."""
        return lambda: image.name not in self.session.needs.missing

    def image_is_archived(self, tar: TarNode) -> Check:
        """Look into the archive, when doit comes to it."""
        session = self.session
        return lambda: session.live is None or session.run.engine is None or session.run.archive.holds(tar)

    def job_is_done(self, job: JobNode) -> bool:
        """Look at the artifacts."""
        return job.id not in self.session.stale_ids

    def aggregate_is_written(self, aggregate: AggregateNode) -> Check:
        """Compare the file with what the jobs say, when doit comes to it."""
        return lambda: not self.session.is_stale(aggregate)

    def get_base(self, base: BaseNode) -> Any:
        """Get a base image: engine, archive, registry, site alias."""
        return self.session.run.images.get_base(base)

    def build_image(self, image: ImageNode) -> Any:
        """Load an environment's image from the archive, or build it."""
        return self.session.run.images.build(image)

    def archive_image(self, tar: TarNode) -> Any:
        """Save an image in the archive."""
        return self.session.run.archive.save(tar)

    def render_config(self, job: JobNode) -> Any:
        """Render a job's configuration."""
        return self.session.run.jobs.render(job)

    def run_job(self, job: JobNode) -> Any:
        """Run one attempt of a job."""
        return self.session.run.jobs.run(job)

    def write_aggregate(self, aggregate: AggregateNode) -> Any:
        """Write an aggregate's files."""
        return self.session.run.jobs.write_aggregate(aggregate)
