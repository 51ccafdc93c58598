"""One attempt of a job through an engine, from its directory to the published artifact, in every mode."""

from __future__ import annotations

import os
import shutil
import threading
import time
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from ipaddress import IPv4Network
from pathlib import Path

from benchrouter.engine.client import Engine
from benchrouter.engine.compose import Composer
from benchrouter.engine.container_spec import ContainerSpec
from benchrouter.engine.containers import Exit, run_container
from benchrouter.engine.dind.daemons import Daemons
from benchrouter.engine.errors import Cancelled, DiskFull, EngineError, ImageMissing
from benchrouter.engine.images import Image, inspect_image
from benchrouter.engine.labels import object_labels
from benchrouter.engine.networks import Networks
from benchrouter.engine.ownership import remove_tree
from benchrouter.engine.relay import Relays
from benchrouter.jobs import growth
from benchrouter.jobs.attempt import Attempt, Listener
from benchrouter.jobs.contract import Host, Places, container_spec, secret_values
from benchrouter.jobs.course import Course, Ended
from benchrouter.jobs.ending import Conclusion, conclude, judge_output, left_out, with_refused_key
from benchrouter.jobs.facts import facts_of
from benchrouter.jobs.masking import without_secrets
from benchrouter.jobs.mishaps import of_internal_error, of_os_error, quietly
from benchrouter.jobs.modes import SURROUNDINGS
from benchrouter.jobs.publish import Publisher
from benchrouter.jobs.redact import Redactor
from benchrouter.jobs.render import Renderer
from benchrouter.jobs.request import JobRequest, Progress
from benchrouter.jobs.sight import Sight, install_sdk
from benchrouter.jobs.takeover import take_over
from benchrouter.spec.settings import Site
from benchrouter.store import attempts, layout
from benchrouter.store.states import JobState, Outcome, Reason
from benchrouter.store.workspace import Workspace


class EngineExecutor:
    """Runs each job in a container within its mode's surroundings; shared by all threads of a run.

    `owner` labels what it creates.
    """

    def __init__(self, engine: Engine, workspace: Workspace, site: Site, owner: str = "") -> None:
        self._engine = engine
        self._workspace = workspace
        self._site = site
        self._owner = owner
        self._networks = Networks(engine, IPv4Network(site.networks))
        self._relays = Relays()
        self._composer = Composer()
        self._daemons = Daemons(engine, workspace, site.limits.seed_bytes)
        self._sdk = install_sdk(workspace)
        self._sight = Sight(engine)
        self._publisher = Publisher(workspace, Renderer(workspace, site.limits), site.limits.keep_failed)
        self._images: dict[str, Image] = {}

    def run(self, request: JobRequest, progress: Progress, cancelled: threading.Event) -> Outcome:
        """Run one attempt to its end; what goes wrong with it is part of the Outcome, never an exception."""
        began = time.monotonic()
        redactor = Redactor(secret_values(request, self._site))
        try:
            attempt = Attempt.fresh(self._workspace, request.run_id)
            attempts.note(attempt.directory, request.id, request.key)
            listener = Listener(attempt, redactor, self._site.limits.log_bytes, progress)
        except OSError as error:
            return Outcome(JobState.FAILED, *of_os_error(error), seconds=time.monotonic() - began)
        course = self._course(request, attempt, redactor, listener, cancelled)
        try:
            conclusion = self._conclude(course)
            ended = Outcome(JobState.FAILED, seconds=time.monotonic() - began, log_tail=listener.last_lines())
            return self._published(course, conclusion, ended)
        finally:
            listener.close()
            self._remove(course)

    def _published(self, course: Course, conclusion: Conclusion, ended: Outcome) -> Outcome:
        attempt, redactor = course.attempt, course.redactor
        try:
            return self._publisher.publish(
                course.request, attempt.staging, conclusion, ended, course.facts, redactor
            )
        except Exception as error:  # in what the task left, most likely; without that it can be recorded
            conclusion = of_internal_error(error, attempt.logs, redactor)
            return self._publisher.publish(course.request, attempt.staging, conclusion, ended, {}, redactor)

    def close(self) -> None:
        """Let go of what the jobs of the run shared."""
        self._daemons.close()

    def _course(
        self,
        request: JobRequest,
        attempt: Attempt,
        redactor: Redactor,
        listener: Listener,
        cancelled: threading.Event,
    ) -> Course:
        labels = object_labels(self._workspace.id, request.run_id, owner=self._owner, job=str(request.id))
        return Course(
            self._engine,
            self._networks,
            self._relays,
            self._composer,
            self._daemons,
            self._workspace,
            self._site,
            request,
            attempt,
            redactor,
            listener,
            cancelled,
            labels,
            request.task.timeout,
        )

    def _conclude(self, course: Course) -> Conclusion:
        try:
            return self._attempt(course)
        except Ended as ended:
            return ended.conclusion
        except Cancelled:
            return Conclusion(reason=Reason.CANCELLED, detail="interrupted")
        except ImageMissing as error:
            self._images.clear()  # of whatever was pruned: what is built again has another id
            return Conclusion(reason=Reason.IMAGE_MISSING, detail=str(error))
        except DiskFull as error:
            return Conclusion(reason=Reason.DISK, detail=str(error))
        except EngineError as error:
            no_gpu = course.request.task.resources.gpus and "device driver" in str(error)
            detail = self._sight.explained(str(error))
            return Conclusion(reason=Reason.UNSUPPORTED if no_gpu else Reason.ENGINE, detail=detail)
        except OSError as error:
            # Make room first: the reason and the logs are worth more than what was copied of the output.
            for directory in (course.attempt.staging / layout.OUTPUT, course.attempt.output):
                shutil.rmtree(directory, ignore_errors=True)
            quietly(course.listener.rescue)
            reason, detail = of_os_error(error)
            return Conclusion(reason=reason, detail=detail)
        except Exception as error:
            # A bug of ours: what the attempt has cost is not lost with it, and neither are the other jobs.
            if not (course.attempt.staging / layout.OUTPUT).exists():
                with suppress(Exception):
                    take_over(course, None)
            return of_internal_error(error, course.attempt.logs, course.redactor)

    def _attempt(self, course: Course) -> Conclusion:
        task = course.request.task
        if short := growth.short_of_room(self._disks, self._site.limits):
            return Conclusion(reason=Reason.DISK, detail=short)
        image = self._image(course.request.image_tag)
        with SURROUNDINGS[task.mode](course, self._spec(course, image)) as spec:
            exit = self._contain(course, spec)
        course.listener.close()  # what may have been the beginning of a secret is still held
        course.facts |= facts_of(self._engine.info, course.request, spec, image, exit)
        collected = take_over(course, exit)
        verdict = without_secrets(judge_output(task, collected), task.result_file, course.redactor)
        if course.fault is not None and not exit.cancelled:
            return course.fault
        ended = conclude(
            task,
            exit,
            verdict,
            spec.limits.memory,
            full_disk=course.full_disk,
            last_error=course.listener.last_error(),
        )
        if ended.reason in (Reason.NO_RESULT, Reason.INVALID_RESULT) and not self._engine.answers():
            # Told to stop by an engine that is leaving, a task may well end with 0.
            raise EngineError(f"the engine was stopped while container {spec.name} was running")
        ended = with_refused_key(ended, course.request.model)
        return replace(ended, warnings=(*ended.warnings, *course.warnings, *left_out(collected)))

    def _image(self, tag: str) -> Image:
        found = self._images.get(tag)
        if found is None:
            found = inspect_image(self._engine, tag)
            if found is None:
                raise ImageMissing(f"the engine has no image {tag}")
            self._images[tag] = found  # a tag is made from the content's key: what it names stays the same
        return found

    def _spec(self, course: Course, image: Image) -> ContainerSpec:
        places = Places(str(course.request.tree), str(course.attempt.output), str(self._sdk))
        info = self._engine.info
        return container_spec(
            course.request,
            places,
            Host(info.memory, info.ncpu),
            self._site,
            image_pythonpath=image.environment.get("PYTHONPATH", ""),
            labels=course.labels,
            token=course.attempt.token,
        )

    def _contain(self, course: Course, spec: ContainerSpec) -> Exit:
        listener, output = course.listener, course.attempt.output
        grown = growth.Growth(output, self._disks, self._site.limits, lambda: listener.fault)
        try:
            exit = run_container(
                self._engine,
                spec,
                timeout=course.timeout,
                on_output=listener.hear,
                cancelled=course.cancelled,
                watch=lambda: grown() or course.watched(),
                on_created=lambda container: self._sight.check(container, output),
                on_ended=lambda: course.note_full_disk(growth.full_disk(self._disks, self._site.limits)),
            )
        except EngineError:
            # The engine failed; what the task wrote until then is kept as far as it can be read.
            quietly(lambda: take_over(course, None))
            raise
        finally:
            listener.close()
        if listener.fault is not None:
            raise listener.fault
        return exit

    @cached_property
    def _disks(self) -> tuple[Path, ...]:
        """Places on the disks that a job may fill: the workspace's, and that of an engine on this machine."""
        info = self._engine.info
        own = self._workspace.cache
        if info.local and os.access(info.root_dir, os.F_OK):  # in a container we may share an engine, but not its files
            return own, Path(info.root_dir)
        return (own,)

    def _remove(self, course: Course) -> None:
        if course.attempt.remove():
            return
        try:
            remove_tree(self._engine, course.attempt.directory, course.request.image_tag, course.labels)
        except EngineError:
            pass  # the attempts of a run are removed once more at its end
