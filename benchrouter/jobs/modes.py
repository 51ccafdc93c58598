"""Which surroundings a mode has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from benchrouter.engine.container_spec import ContainerSpec
from benchrouter.jobs import compose, dind, simple
from benchrouter.jobs.course import Course, Surround
from benchrouter.spec.mode import Mode


@contextmanager
def _sidecars_and_daemon(course: Course, spec: ContainerSpec) -> Iterator[ContainerSpec]:
    """Give the evaluation beside its sidecars a daemon of its own."""
    with compose.surround(course, spec) as beside, dind.own_daemon(course, beside) as equipped:
        yield equipped


SURROUNDINGS: Mapping[Mode, Surround] = {
    Mode.SIMPLE: simple.surround,
    Mode.COMPOSE: compose.surround,
    Mode.DIND: dind.surround,
    Mode.COMPOSE_DIND: _sidecars_and_daemon,
}
