"""A place for temporary files outside of the workspace, which a later start finds and removes if we are killed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from benchrouter.engine import deadlines

_NOTE = "scratch-"
_OCTAL = re.compile(r"\\([0-7]{3})")


@contextmanager
def noted_scratch(notes: Path, run_id: str) -> Iterator[Path]:
    """Make an empty directory, noted in the directory `notes` before it is there; remove it afterwards.

    In the system's place for such things, because not every tool copes with a workspace's path or file system.
    """
    place = Path(tempfile.gettempdir(), f"{_prefix(run_id)}{token_hex(6)}")
    notes.mkdir(parents=True, exist_ok=True)
    note = notes / f"{_NOTE}{place.name}"
    note.symlink_to(place)
    place.mkdir(0o700)
    try:
        yield place
    finally:
        if _remove(place):
            note.unlink(missing_ok=True)


def remove_noted(notes: Path, run_id: str) -> tuple[int, list[str]]:
    """Remove what a dead run noted in `notes`: how many directories, and what could not be removed."""
    removed, left = 0, []
    for note in sorted(notes.glob(f"{_NOTE}*")):
        place = note.readlink() if note.is_symlink() else None
        if place is None or not place.name.startswith(_prefix(run_id)):
            continue
        there = os.path.lexists(place)
        if _remove(place):
            note.unlink(missing_ok=True)
            removed += there
        else:
            left.append(str(place))
    return removed, left


def _prefix(run_id: str) -> str:
    return f"benchrouter-{run_id}-"


def _remove(place: Path) -> bool:
    """Tell whether nothing of ours is there any more; another user's is none of ours."""
    try:
        if place.lstat().st_uid != os.geteuid() or place.is_symlink():
            return True
    except FileNotFoundError:
        return True
    for mounted in _mounts_below(place):  # a killed bootstrap leaves /proc and /dev of this machine in its tree
        subprocess.run(["umount", "--lazy", mounted], capture_output=True, check=False, timeout=deadlines.CALL)
    if _mounts_below(place):
        return False
    shutil.rmtree(place, ignore_errors=True)
    return not os.path.lexists(place)


def _mounts_below(place: Path) -> list[str]:
    """List what is mounted below a directory, the deepest first."""
    try:
        lines = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return []
    points = (_OCTAL.sub(lambda match: chr(int(match[1], 8)), line.split()[4]) for line in lines)
    return sorted((point for point in points if point.startswith(f"{place}/")), key=len, reverse=True)
