"""Watch what a running job does to the disk."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchrouter.spec.settings import SiteLimits

EVERY = 1.0
SHARE = 20  # looking may take a twentieth of the time
FULL = 1 << 20


class Growth:
    """Asked again and again while a job runs; answers with why it has to stop, or None.

    `disks` are places on the disks that the job may fill: where its output is, and the engine's.
    """

    def __init__(
        self, output: Path, disks: Sequence[Path], limits: SiteLimits, fault: Callable[[], OSError | None]
    ) -> None:
        self._output = output
        self._disks = disks
        self._limits = limits
        self._fault = fault
        self._next = time.monotonic() + EVERY

    def __call__(self) -> str | None:
        """Look, unless that was done a moment ago."""
        now = time.monotonic()
        if now < self._next:
            return None
        found = self._look()
        self._next = time.monotonic() + max(EVERY, SHARE * (time.monotonic() - now))
        return found

    def _look(self) -> str | None:
        fault = self._fault()
        if fault is not None:
            return f"the log cannot be written: {fault.strerror}"
        full = full_disk(self._disks, self._limits)
        if full is not None:
            return f"{full} ran full while the job was running"
        size, count = measure(self._output, self._limits.output_files)
        if size > self._limits.output_bytes:
            limit = f"{self._limits.output_bytes >> 20} MiB (`site: limits: output_bytes`)"
            return f"the output grew beyond {limit}"
        if count > self._limits.output_files:
            limit = f"{self._limits.output_files} files (`site: limits: output_files`)"
            return f"the output has more than {limit}"
        return None


def free(path: Path) -> int:
    """Count the bytes that we may still write at a path."""
    facts = os.statvfs(path)
    return facts.f_bavail * facts.f_frsize


def short_of_room(disks: Sequence[Path], limits: SiteLimits) -> str:
    """Say which disk has not the room that a job needs to be started; empty when all have."""
    need = f"a job needs {limits.free_disk >> 20} MiB (`site: limits: free_disk`)"
    short = ((disk, left) for disk in disks if (left := free(disk)) < limits.free_disk)
    return next((f"{left >> 20} MiB are left on the disk of {disk}; {need}" for disk, left in short), "")


def full_disk(disks: Sequence[Path], limits: SiteLimits) -> str | None:
    """Name a disk that is as good as full: far below what a job needs to be started."""
    least = max(FULL, limits.free_disk // 8)
    return next((f"the disk of {disk}" for disk in disks if free(disk) < least), None)


def measure(root: Path, most: int) -> tuple[int, int]:
    """Sum up the bytes on disk and the entries below a directory, giving up beyond `most` entries."""
    size = count = 0
    pending = [os.fspath(root)]
    while pending and count <= most:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    count += 1
                    if count > most:  # of one directory with millions, too
                        break
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    else:
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
        except OSError:
            continue  # gone meanwhile, or not readable for us: the free space is watched as well
    return size, count
