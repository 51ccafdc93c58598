"""The limit of open files: raised within what the system allows, since parallel jobs need many."""

from __future__ import annotations

import resource
from collections.abc import Callable

_PER_SLOT, _BESIDE = 24, 256


def needed_files(slots: int) -> int:
    """Estimate how many files `slots` jobs at once have open."""
    return _BESIDE + _PER_SLOT * slots


def raise_open_files(slots: int, say: Callable[[str], None]) -> None:
    """Raise the soft limit to what `slots` jobs need, within the hard one; say so when that is not enough."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = needed_files(slots)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    reachable = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (reachable, hard))
    if reachable < needed:
        say(
            f"at most {hard} files can be open (`ulimit -Hn`), {slots} jobs at once may need {needed}; "
            f"use a smaller -n (about {max(1, (hard - _BESIDE) // _PER_SLOT)}) or raise the limit"
        )
