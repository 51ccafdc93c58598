"""The sidecars of one attempt: waiting until they serve, preparing them, noticing a death, keeping their logs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from benchrouter.engine import deadlines
from benchrouter.engine.errors import Cancelled, EngineError
from benchrouter.engine.inside import run_inside
from benchrouter.engine.services import Project, Service
from benchrouter.jobs.course import Course, Ended
from benchrouter.jobs.ending import Conclusion
from benchrouter.jobs.logs import CappedLog, Tail
from benchrouter.store.states import Reason

_TICK = 0.1
_WATCH = 0.5
_STARTED = 5.0  # what nobody checks has started when it has lived as long
_WAITING = ("created", "restarting", "running")
_SHOWN = 200


class Sidecars:
    """What BenchRouter does with the sidecars of one attempt, once Compose has started them."""

    def __init__(self, course: Course, project: Project) -> None:
        self._course = course
        self._project = project
        self._served: set[str] = set()  # containers that were healthy: an end of theirs is no success
        self._restarts: dict[str, int] = {}  # of each container, before the evaluation
        self._stop = threading.Event()
        self._since = 0.0
        self._dead: Conclusion | None = None

    def await_healthy(self, names: Sequence[str]) -> None:
        """Wait until each is healthy, or running where nothing is checked, or has ended with 0; raise Ended."""
        began = time.monotonic()
        while True:
            if self._course.cancelled.is_set():
                raise Cancelled("interrupted while waiting for sidecars")
            services = self._project.services()
            waiting = [service for service in services if not self._is_ready(service)]
            missing = set(names) - {service.name for service in services}
            if missing:
                raise self.failed(f"sidecar {min(missing)} was not started")
            if not waiting:
                self._served |= {each.container for each in services if each.health == "healthy"}
                self._restarts = {each.container: each.restarts for each in services}
                return
            first = waiting[0]
            if time.monotonic() - began > first.declared + deadlines.SIDECARS_HEALTHY:
                raise self.failed(f"{_title(first)} is still {first.health or first.status}{_check(first)}")
            time.sleep(_TICK)

    def _is_ready(self, service: Service) -> bool:
        if service.ended and not _died(service, False):
            return True
        if service.status not in _WAITING or service.health == "unhealthy":
            raise self.failed(_fate(service))
        return service.status == "running" and service.health in (None, "healthy")

    def await_nothing_broken(self) -> None:
        """Raise Ended for a sidecar that is broken already."""
        for service in self._project.services():
            self._is_ready(service)

    def post_start(self) -> None:
        """Run each sidecar's `post_start` commands inside it, in order; raise Ended at the first that fails."""
        containers = {service.name: service for service in self._project.services()}
        for sidecar in self._course.request.task.sidecars:
            if commands := sidecar.get("post_start"):
                self._prepare(containers[str(sidecar["name"])], commands)

    def _prepare(self, service: Service, commands: Sequence[str]) -> None:
        course = self._course
        path = course.attempt.logs / f"sidecar-{service.name}.post_start.log"
        log, tail = CappedLog(path, course.site.limits.log_bytes, course.redactor), Tail()
        try:
            for command in commands:
                code = self._run(service, command, lambda data: log.write(data, tail.add))
                if code != 0:
                    break
        finally:
            log.close(tail.add)
        if code != 0:
            ended = f"ended with status {code}" if code is not None else f"ran longer than {deadlines.POST_START:g} s"
            said = tail.lines(1)
            what = f"sidecar {service.name}: post_start `{_shortened(command)}` {ended}"
            raise self.failed(f"{what}: {said}" if said else what)

    def _run(self, service: Service, command: str, on_output: Callable[[bytes], None]) -> int | None:
        course = self._course
        try:
            return run_inside(
                course.engine,
                service.container,
                ["/bin/sh", "-c", command],
                timeout=deadlines.POST_START,
                on_output=on_output,
                cancelled=course.cancelled,
            )
        except EngineError as error:
            ended = [each for each in self._project.ended() if each.container == service.container]
            if not ended:
                raise
            raise self.failed(f"{_fate(ended[0])} before post_start `{_shortened(command)}`: {error}") from None

    def failed(self, detail: str) -> Ended:
        """Make the end of an attempt whose sidecars do not come up."""
        return Ended(Conclusion(reason=Reason.SIDECAR, detail=detail))

    def watch(self) -> None:
        """Look for the dead from now on, beside whoever follows the evaluation."""
        self._since = time.monotonic()
        threading.Thread(target=self._look, name="sidecars", daemon=True).start()
        self._course.watches.append(self._noticed)

    def _look(self) -> None:
        while not self._stop.wait(_WATCH) and self._dead is None:
            try:
                self._find_dead()
            except EngineError:
                pass  # whoever follows the evaluation hears of it, too

    def _find_dead(self) -> None:
        for service in self._project.ended():
            if _died(service, service.container in self._served):
                served = service.container in self._served or time.monotonic() - self._since > _STARTED
                detail = f"{_fate(service)} while the evaluation was running"
                self._dead = Conclusion(reason=Reason.SIDECAR, detail=detail, final=served)
                return

    def _noticed(self) -> str | None:
        if self._dead is None:
            return None
        self._course.fault = self._dead
        return self._dead.detail

    def judge(self) -> None:
        """Look a last time; the course's fault names a sidecar that is dead, its warnings those that were restarted."""
        self._stop.set()
        if self._dead is None:
            self._find_dead()
        if self._noticed() is None:
            for service in self._project.services():
                if again := service.restarts - self._restarts.get(service.container, 0):
                    self._course.warnings.append(_restarted(service, again))

    def stop(self) -> None:
        """Look no more."""
        self._stop.set()

    def keep_logs(self) -> None:
        """Write the log of every sidecar, redacted and capped, into the attempt's logs."""
        course = self._course
        services = self._project.services()
        several = {each.name for each in services if each.number != "1"}
        for service in services:
            suffix = f"-{service.number}" if service.name in several else ""
            path = course.attempt.logs / f"sidecar-{service.name}{suffix}.log"
            log, tail = CappedLog(path, course.site.limits.log_bytes, course.redactor), Tail()
            try:
                for data in self._project.log(service):
                    log.write(data, tail.add)
            finally:
                log.close(tail.add)
            if service.ended and service.exit_code != 0:
                course.listener.also(f"sidecar {service.name}", tail)


def _died(service: Service, served: bool) -> bool:
    """Tell a death from the end of a one-shot: that ends with 0, and was never healthy."""
    return service.exit_code != 0 or service.oom_killed or service.status == "dead" or served


def _fate(service: Service) -> str:
    if service.health == "unhealthy" and not service.ended:
        return f"{_title(service)} is unhealthy{_check(service)}"
    if service.ended:
        memory = ", killed at its memory limit" if service.oom_killed else ""
        return f"{_title(service)} ended with status {service.exit_code}{memory}"
    return f"{_title(service)} is {service.status}"


def _restarted(service: Service, again: int) -> str:
    times = f"{again} times" if again > 1 else "once"
    down = f"; it was down at the end, with status {service.exit_code}" if service.status == "restarting" else ""
    ill = f"; it was {service.health} at the end" if not down and service.health not in (None, "healthy") else ""
    return f"{_title(service)} ended and was started again {times} while the evaluation was running{down}{ill}"


def _check(service: Service) -> str:
    return f"; its last check said: {_shortened(service.last_check)}" if service.last_check else ""


def _title(service: Service) -> str:
    return f"sidecar {service.name}"


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
