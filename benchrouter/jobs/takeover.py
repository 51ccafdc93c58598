"""Taking over what a container wrote: made ours, judged by the right clock, collected."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from benchrouter.engine.client import EngineInfo
from benchrouter.engine.containers import Exit
from benchrouter.engine.ownership import give_back
from benchrouter.jobs.collect import Caps, Collected, changed_after, collect
from benchrouter.jobs.course import Course
from benchrouter.store import layout


def take_over(course: Course, exit: Exit | None) -> Collected:
    """Copy the output of an attempt to where it is published; `exit` is None when the engine failed before the end.

    Raises OSError, EngineError.
    """
    attempt, limits, task = course.attempt, course.site.limits, course.request.task
    ended = _ended(course.engine.info, exit, attempt.staging)
    late = changed_after(attempt.output, task.result_file, ended)
    if os.geteuid() != 0 and exit is not None:
        uid, gid = os.geteuid(), os.getegid()
        give_back(course.engine, course.request.image_tag, attempt.output, uid, gid, course.labels)
        ended = None  # giving back is a change by itself
    caps = Caps(limits.output_bytes, limits.output_files)
    kept = attempt.staging / layout.OUTPUT
    collected = collect(attempt.output, kept, course.redactor, caps, ended, task.result_file)
    return replace(collected, late=collected.late | {task.result_file}) if late else collected


def _ended(info: EngineInfo, exit: Exit | None, beside: Path) -> float | None:
    """Give the time after which no file may have changed, by the clock of the file system."""
    if exit is None or not exit.finished_at:
        return None
    os.utime(beside)
    now = time.time()
    ahead = max(0.0, beside.stat().st_ctime - now)  # a file server stamps by a clock of its own
    same_clock = sys.platform == "linux" and info.local and "Desktop" not in info.operating_system
    return (exit.finished_at if same_clock else now) + ahead
