"""Simple mode: the task's container stands alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from benchrouter.engine.container_spec import ContainerSpec
from benchrouter.jobs.course import Course
from benchrouter.jobs.wired import wired


@contextmanager
def surround(course: Course, spec: ContainerSpec) -> Iterator[ContainerSpec]:
    """Leave the host's network, or none, as it is; `bridge` is a network of the job's own, the relay its only exit."""
    if spec.network != "bridge":
        yield spec
        return
    with wired(course, spec) as job:
        yield job.spec
