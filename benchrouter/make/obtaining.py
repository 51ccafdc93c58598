"""What benchmarks do not bring and is not here, data volumes and parts of build contexts, and how to get it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from benchrouter.graph.build import Environment, EnvironmentId, Selected
from benchrouter.graph.nodes import ImageNode, JobNode
from benchrouter.spec.benchmark import FILE
from benchrouter.spec.names import did_you_mean
from benchrouter.spec.problems import Problem

if TYPE_CHECKING:
    from benchrouter.make.session import Session


def hint(session: Session, name: str, benchmark: str = "") -> str:
    """Say how to get something, as its benchmark tells, else another one; empty where none does.

    A hint's name with `*` is of all images whose reference is like it: a generator may name them.
    """
    known = [choice.scanned.benchmark for choice in session.sources.selected]
    known.sort(key=lambda one: one.name != benchmark)
    exact = (one.obtain[name].text for one in known if name in one.obtain)
    alike = (told.text for one in known for like, told in one.obtain.items() if "*" in like and fnmatchcase(name, like))
    return next(exact, "") or next(alike, "")


def with_hint(text: str, told: str) -> str:
    """Append how to get what a text says is missing."""
    return f"{text}; to get it: {told}" if told else text


def stray_hints(
    selected: Iterable[Selected], environments: Mapping[EnvironmentId, Environment]
) -> Iterator[Problem]:
    """Warn of hints under names that mean nothing in their benchmark, where all of it was read."""
    for choice in selected:
        benchmark, tasks = choice.scanned.benchmark, choice.scanned.tasks
        if any(entry.name not in choice.tasks or entry.name not in tasks for entry in benchmark.tasks):
            continue
        known = {name for facts in tasks.values() for name in (*facts.data, *facts.needs_images)}
        for (owner, _), environment in environments.items():
            if owner == benchmark.name:
                known |= {*environment.facts.base_refs, *environment.facts.supplied}
        for name, told in benchmark.obtain.items():
            if name not in known and "*" not in name:
                message = f"`obtain.{name}`: no image, supplied path or data volume of that name"
                text = message + did_you_mean(name, known)
                yield Problem(str(benchmark.root / FILE), told.line, text, warning=True)


class Lacking:
    """What is missing for the jobs of one session: data volumes, and what the user adds to build contexts."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._environments: dict[str, tuple[str, ...]] = {}

    def of(self, job: JobNode) -> tuple[str, ...]:
        """Say all that is missing for a job."""
        return (*self.data(job), *self.supplies(job))

    def data(self, job: JobNode) -> tuple[str, ...]:
        """Say of each data volume of a job that it cannot use why, and how to get it."""
        known = self._session.sources.volumes
        faulty = [known[name] for name in job.facts.data if known[name].fault]
        return tuple(with_hint(each.fault, hint(self._session, each.name, job.id.benchmark)) for each in faulty)

    def supplies(self, job: JobNode) -> tuple[str, ...]:
        """Say what the images of a job cannot be built without; empty when nothing is missing."""
        images = self._session.graph.images
        found = (text for name in job.images if name in images for text in self.supplies_of(images[name]))
        return tuple(dict.fromkeys(found))

    def supplies_of(self, image: ImageNode) -> tuple[str, ...]:
        """Say what an image cannot be built without, its own and of what it builds on."""
        if image.name not in self._environments:
            images = self._session.graph.images
            beside = (text for name in image.siblings.values() for text in self.supplies_of(images[name]))
            self._environments[image.name] = tuple(dict.fromkeys([*self._own(image), *beside]))
        return self._environments[image.name]

    def lines(self) -> Iterator[str]:
        """Lay out what is missing, and for how many of the due jobs."""
        due = self._session.due_jobs
        counts = Counter(text for job in due for text in self.of(job))
        for text, count in sorted(counts.items()):
            yield f"missing for {count} job{'s' * (count != 1)}: {text}"

    def _own(self, image: ImageNode) -> Iterator[str]:
        place = image.facts.root
        for path in image.facts.lacking():
            text = f"`{path}` of environment {image.label} is not in {place}"
            yield with_hint(text, hint(self._session, path, image.benchmark))
