"""Which images the archive is to hold: what tasks preload, and all of them where that is asked for; pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from benchrouter.graph.build import Graph
from benchrouter.graph.nodes import JobNode, base_name
from benchrouter.spec.dockerfile import SIBLING_PREFIX


@dataclass(frozen=True, slots=True)
class TarNode:
    """An image's place in the archive; `image` is the node that it comes from, of an environment or from outside."""

    image: str

    @property
    def label(self) -> str:
        """Name the node without its kind: `<benchmark>/<environment>`, or a reference, which always has a `:`."""
        kind, _, rest = self.image.partition(":")
        return rest if kind == "image" or ":" in rest else f"{rest}:latest"

    @property
    def name(self) -> str:
        """Name the node for doit."""
        return f"tar:{self.label}"


def preloads(job: JobNode) -> tuple[str, ...]:
    """Name the nodes of the images that a job's own daemon is to have, its own image first."""
    if not job.facts.docker:
        return ()
    refs = job.facts.task().docker_images
    return tuple(dict.fromkeys((job.image, *(job.uses[ref] for ref in refs))))


def only_preloaded(job: JobNode) -> frozenset[str]:
    """Name the nodes of images that a job uses in its own daemon alone: the engine need not have them."""
    if not job.facts.docker:
        return frozenset()
    task = job.facts.task()
    beside = [s["image"] if "image" in s else f"{SIBLING_PREFIX}{s['build']}" for s in task.sidecars]
    return frozenset(preloads(job)) - {job.image, *(job.uses[ref] for ref in beside)}


def tars_before(graph: Graph, job: JobNode, *, everything: bool) -> tuple[TarNode, ...]:
    """List what the archive is to hold before a job starts: what it preloads; `everything`: all its images."""
    return tuple(TarNode(name) for name in (_all_images(graph, [job]) if everything else preloads(job)))


def tars_of(graph: Graph, jobs: Iterable[JobNode], *, everything: bool) -> dict[str, TarNode]:
    """Map node names to what the archive is to hold for some jobs."""
    jobs = tuple(jobs)
    names = _all_images(graph, jobs) if everything else [name for job in jobs for name in preloads(job)]
    return {tar.name: tar for tar in map(TarNode, dict.fromkeys(names))}


def _all_images(graph: Graph, jobs: Iterable[JobNode]) -> list[str]:
    """Name the images of jobs and all that these build on, what is built on first."""
    jobs = tuple(jobs)
    images = graph.images_of(jobs)
    bases = [base_name(ref) for image in images.values() for ref in image.bases]
    outside = [name for job in jobs for name in job.images if name not in graph.images]
    return list(dict.fromkeys([*bases, *outside, *images]))
