"""What dodo.py calls: which nodes doit sees, what each needs, and the action behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from benchrouter.graph.nodes import AggregateNode, BaseNode, ImageNode, JobNode, base_name
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
        return [base for ref, base in session.graph.bases.items() if ref in session.needed_bases]

    def images(self) -> Iterable[ImageNode]:
        """Environment images: all, or those that jobs need and the engine has not."""
        session = self.session
        return (session.missing_images if session.pruned else session.graph.images).values()

    def jobs(self) -> Iterable[JobNode]:
        """Jobs: all, or those that have to run."""
        return self.session.stale_jobs if self.session.pruned else self.session.graph.jobs

    def aggregates(self) -> Iterable[AggregateNode]:
        """Aggregates: all, or those that have to be written."""
        return self.session.stale_aggregates if self.session.pruned else self.session.graph.aggregates

    def needs_of_image(self, image: ImageNode) -> list[str]:
        """Bases and sibling images; none for an image that the engine has."""
        if self.session.runs and image.name not in self.session.missing_images:
            return []
        siblings = [name for name in image.siblings.values() if self._shown(name)]
        return [*map(base_name, image.bases), *siblings]

    def _shown(self, name: str) -> bool:
        """Tell whether doit sees an image's node, of an environment or from outside."""
        session = self.session
        if not session.pruned:
            return True
        if name in session.graph.images:
            return name in session.missing_images
        return name in map(base_name, session.needed_bases)

    def needs_of_job(self, job: JobNode) -> list[str]:
        """The image and the rendered configuration; none for a job that is up to date when doit runs it."""
        if self.session.runs and job.id not in self.session.stale_ids:
            return []
        images = [name for name in dict.fromkeys(job.images) if self._shown(name)]
        return [*images, f"config:{job.label}"]

    def needs_of_aggregate(self, aggregate: AggregateNode) -> list[str]:
        """The jobs; only those that have to run when doit runs it."""
        stale = self.session.stale_ids
        return [job.name for job in aggregate.jobs if not self.session.runs or job.id in stale]

    def image_is_there(self, image: ImageNode) -> Check:
        """Ask the engine, when doit comes to it."""
        return lambda: image.name not in self.session.missing_images

    def job_is_done(self, job: JobNode) -> bool:
        """Look at the artifacts."""
        return job.id not in self.session.stale_ids

    def aggregate_is_written(self, aggregate: AggregateNode) -> Check:
        """Compare the file with what the jobs say, when doit comes to it."""
        return lambda: not self.session.is_stale(aggregate)

    def get_base(self, base: BaseNode) -> Any:
        """Get a base image: engine, registry, site alias."""
        return self.session.run.images.get_base(base)

    def build_image(self, image: ImageNode) -> Any:
        """Build an environment's image."""
        return self.session.run.images.build(image)

    def render_config(self, job: JobNode) -> Any:
        """Render a job's configuration."""
        return self.session.run.jobs.render(job)

    def run_job(self, job: JobNode) -> Any:
        """Run one attempt of a job."""
        return self.session.run.jobs.run(job)

    def write_aggregate(self, aggregate: AggregateNode) -> Any:
        """Write an aggregate's files."""
        return self.session.run.jobs.write_aggregate(aggregate)
