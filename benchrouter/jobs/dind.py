"""DinD mode: the task's container has a Docker daemon of its own, with the task's images in it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from benchrouter.engine import deadlines
from benchrouter.engine.archive import Archive
from benchrouter.engine.container_spec import ContainerSpec, Privileges
from benchrouter.engine.dind.control import Control
from benchrouter.engine.dind.pipe import Pipe, piped
from benchrouter.engine.dind.planting import Planted, Wish
from benchrouter.engine.dind.preload import Preload, preload_of, saved, widened
from benchrouter.engine.dind.runtime import Choice
from benchrouter.engine.errors import means_disk_full
from benchrouter.engine.labels import JOB
from benchrouter.jobs.contract import preloaded_names
from benchrouter.jobs.course import Course
from benchrouter.jobs.ending import Conclusion, timeout_text
from benchrouter.jobs.growth import Growth
from benchrouter.jobs.logs import CappedLog
from benchrouter.jobs.render_dind import entrypoint, with_daemon
from benchrouter.jobs.wired import wired
from benchrouter.store.states import Reason

LOG = "dockerd.log"
SHARE = 4  # one seed takes at most this part of what all of them may
_CHUNK = 1 << 20


@contextmanager
def surround(course: Course, spec: ContainerSpec) -> Iterator[ContainerSpec]:
    """Give the container a network of its own, unless it wants none, and a daemon."""
    if spec.network == "none":
        with own_daemon(course, spec) as equipped:
            yield equipped
        return
    with (
        wired(course, spec) as job,
        own_daemon(course, job.spec) as equipped,
    ):
        yield equipped


@contextmanager
def own_daemon(course: Course, spec: ContainerSpec) -> Iterator[ContainerSpec]:
    """Let the container start a daemon before the command; the storage is a volume that goes with the container."""
    began = time.monotonic()
    archive = Archive(course.workspace)
    preload = preload_of(course.engine, archive, preloaded_names(course.request), course.cancelled)
    choice = course.daemons.choice(spec.image, course.labels, course.cancelled)
    planted = _planted(course, archive, preload)
    control = Control.fresh(course.attempt.directory / "daemon", entrypoint(course.workspace, course.request))
    control.write_names(preload.lines)
    if planted.device is not None:
        control.write_contents(preload.known_as(planted.inside), planted.inside.values())
    beginning = _Beginning(course, control, began)
    course.watches += [beginning, Growth(control.directory, (), course.site.limits, lambda: None)]
    course.timeout += deadlines.DAEMON + deadlines.PRELOAD  # the task's own counts from when the daemon is ready
    with piped(control.images, lambda: saved(course.engine, archive, preload)) as pipe:
        try:
            yield _equipped(spec, control, choice, planted)
        finally:
            _keep_log(course, control)
            course.facts["daemon"] = _facts(control, choice, planted, beginning)
    if beginning.after is None and not control.ready and course.fault is None:
        course.fault = _failure(control, pipe)


def _planted(course: Course, archive: Archive, preload: Preload) -> Planted:
    request, most = course.request, course.site.limits.seed_bytes // SHARE
    wish = Wish(
        environment=preload.ids[request.image_tag],
        preload=preload,
        widened=lambda: widened(course.engine, archive, preload, request.neighbours, most, course.cancelled),
        script=entrypoint(None, request),
        source=lambda images: saved(course.engine, archive, images),
        scratch=course.attempt.directory / "seed",
    )
    # The run holds it beyond this job.
    labels = {name: text for name, text in course.labels.items() if name != JOB}
    return course.daemons.seed(request.image_tag, labels, wish, course.cancelled)


def _equipped(spec: ContainerSpec, control: Control, choice: Choice, planted: Planted) -> ContainerSpec:
    rights: Privileges = choice.privileges
    if planted.device is not None:
        rights = replace(rights, devices=(planted.device,), sealed_loops=True)  # all jobs share the device
    own = with_daemon(spec)
    return replace(own, mounts=(*spec.mounts, control.mount), network=spec.network, privileges=rights)


@dataclass
class _Beginning:
    """Watches for the moment at which the command begins, and counts the task's timeout from then on."""

    course: Course
    control: Control
    began: float
    after: float | None = field(default=None)

    def __call__(self) -> str | None:
        now = time.monotonic()
        if self.after is None:
            if self.control.ready:
                self.after = now - self.began
            return None
        task = self.course.request.task
        if now < self.began + self.after + task.timeout:
            return None
        self.course.fault = Conclusion(reason=Reason.TIMEOUT, detail=timeout_text(task))
        return "timeout"


def _failure(control: Control, pipe: Pipe) -> Conclusion:
    """Say why the command never began."""
    detail = control.failure or "the container ended before its Docker daemon was ready"
    if pipe.fault is not None:
        detail = f"{detail} ({pipe.fault})"
    reason = Reason.DISK if means_disk_full(detail) else Reason.ENGINE
    return Conclusion(reason=reason, detail=detail, final=control.hopeless)


def _facts(control: Control, choice: Choice, planted: Planted, beginning: _Beginning) -> dict[str, object]:
    return {
        "runtime": choice.runtime.word,
        "runtime_because": choice.why,
        "capabilities": list(choice.capabilities),
        "storage_driver": control.driver,
        "images": control.preloaded,
        "no_seed_because": planted.why_not,
        "ready_after": beginning.after,
    }


def _keep_log(course: Course, control: Control) -> None:
    """Keep what the daemon said, capped and redacted."""
    descriptor = control.open_log()
    if descriptor is None:
        return
    try:
        log = CappedLog(course.attempt.logs / LOG, course.site.limits.log_bytes, course.redactor)
        try:
            while chunk := os.read(descriptor, _CHUNK):
                log.write(chunk)
        finally:
            log.close()
    except OSError:
        pass  # a full disk; the reason of the attempt says so
    finally:
        os.close(descriptor)
