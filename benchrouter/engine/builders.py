"""Builder processes of a dead run, found by the run's id in their environment."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from benchrouter.engine import deadlines

OWNER_VARIABLE = "BENCHROUTER_OWNER"
_TICK = 0.05


def end_builders(run_id: str) -> int:
    """End every process of this user that carries the run's id: TERM, grace, KILL; count them."""
    first = find_builders(run_id)
    for pid in first:
        _signal(pid, signal.SIGTERM)
    until = time.monotonic() + deadlines.BUILD_STOP
    while find_builders(run_id) and time.monotonic() < until:
        time.sleep(_TICK)
    for pid in find_builders(run_id):
        _signal(pid, signal.SIGKILL)
    return len(first)


def find_builders(run_id: str) -> list[int]:
    """List the processes of this user whose environment names the run."""
    wanted = f"{OWNER_VARIABLE}={run_id}".encode()
    return [pid for pid in _pids() if pid != os.getpid() and wanted in _environment(pid)]


def _pids() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _environment(pid: int) -> list[bytes]:
    place = Path("/proc") / str(pid)
    try:
        if place.stat().st_uid != os.getuid():
            return []
        return (place / "environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass
