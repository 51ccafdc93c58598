"""Compose mode: sidecars beside the evaluation, in a network of the job's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchrouter.engine.compose import Compose, ComposeFailed, ComposeMissing
from benchrouter.engine.container_spec import ContainerSpec
from benchrouter.engine.errors import EngineError
from benchrouter.engine.services import Project
from benchrouter.jobs.compose_file import named_volumes, services_for_us
from benchrouter.jobs.course import Course, Ended
from benchrouter.jobs.ending import Conclusion
from benchrouter.jobs.logs import CappedLog
from benchrouter.jobs.render_compose import for_us
from benchrouter.jobs.sidecars import Sidecars
from benchrouter.jobs.wired import Wired, wired
from benchrouter.store.states import Reason

_KNOWS_START_INTERVAL = (1, 44)


@contextmanager
def surround(course: Course, spec: ContainerSpec) -> Iterator[ContainerSpec]:
    """Bring the sidecars up, healthy and prepared, for as long as the evaluation runs."""
    try:
        compose = course.composer.found
    except ComposeMissing as error:
        raise Ended(Conclusion(reason=Reason.UNSUPPORTED, detail=str(error))) from None
    names = tuple(str(sidecar["name"]) for sidecar in course.request.task.sidecars)
    course.facts["compose"] = compose.version
    with wired(course, spec, names=names) as job:
        project = Project(course.engine, f"benchrouter-{course.attempt.token}")
        sidecars = Sidecars(course, project)
        try:
            _bring_up(course, compose, project, sidecars, job)
            sidecars.await_healthy(names)
            sidecars.post_start()
            sidecars.watch()
            yield job.spec
            sidecars.judge()
        finally:
            sidecars.stop()
            _take_down(course, project, sidecars)


def _bring_up(
    course: Course,
    compose: Compose,
    project: Project,
    sidecars: Sidecars,
    job: Wired,
) -> None:
    request = course.request
    file = course.attempt.directory / "compose.yaml"
    file.write_bytes(_rendered(course, job))
    log = CappedLog(course.attempt.logs / "compose.log", course.site.limits.log_bytes, course.redactor)

    def heard(line: str) -> None:
        project.heard(line)
        log.write(f"{line}\n".encode())

    try:
        compose.up(
            course.engine,
            request.run_id,
            project.name,
            file,
            Path(request.tree),
            cancelled=course.cancelled,
            on_line=heard,
        )
    except ComposeFailed as error:
        # Compose tells of a dependency that failed; which sidecar that is, and how, the engine tells better.
        sidecars.await_nothing_broken()
        raise sidecars.failed(f"the sidecars did not start: {error}") from None
    finally:
        log.close()


def _rendered(course: Course, job: Wired) -> bytes:
    task, limits = course.request.task, course.site.limits
    numbers = tuple(int(part) for part in course.engine.info.api_version.split("."))
    services = services_for_us(
        task,
        course.request.images,
        course.labels,
        log_bytes=limits.log_bytes,
        memory=job.spec.limits.memory,
        start_interval=numbers >= _KNOWS_START_INTERVAL,
        resolver=job.spec.resolver,
        dropped=job.spec.privileges.dropped,
    )
    return for_us(course.workspace, course.request, services, named_volumes(task), course.labels, job.network.name)


def _take_down(course: Course, project: Project, sidecars: Sidecars) -> None:
    """Keep the logs, then remove all; a failure of the engine here hides nothing of what happened before."""
    try:
        sidecars.keep_logs()
    except EngineError as error:
        course.facts["sidecar_logs"] = str(error)
    finally:
        left = project.remove()
        if left:
            course.facts["sidecars_not_removed"] = left
