"""A child process that cannot outlive us: its process group ends when we close a pipe, or die."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchrouter.engine import deadlines

_TICK = 0.2
_LONGEST_LINE = 1 << 16
# Our end of the pipe on its stdin closes when we say so and when we are killed; then the whole group goes.
_GUARD = """
exec 3<&0 </dev/null
"$@" 3<&- &
job=$!
trap '' TERM
{
    read -r _ <&3
    kill -TERM 0
    left=$BENCHROUTER_GRACE
    while [ "$left" -gt 0 ] && kill -0 "$job"; do
        sleep 1
        left=$((left - 1))
    done
    kill -KILL 0
} >/dev/null 2>&1 &
watcher=$!
wait "$job"
status=$?
kill -KILL "$watcher" 2>/dev/null
exit "$status"
"""


@dataclass(frozen=True)
class Ended:
    """How a guarded process ended."""

    code: int
    timed_out: bool = False
    cancelled: bool = False


def run_guarded(
    argv: list[str],
    env: Mapping[str, str],
    on_line: Callable[[str], None],
    cancelled: threading.Event,
    timeout: float,
) -> Ended:
    """Run `argv` in a process group of its own, hand on its output by lines, stop it when told to."""
    reading, writing = os.pipe()
    try:
        child = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "benchrouter-guard", *argv],
            stdin=reading,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**env, "BENCHROUTER_GRACE": str(round(deadlines.BUILD_STOP))},
            start_new_session=True,
        )
    except BaseException:
        os.close(writing)
        raise
    finally:
        os.close(reading)
    return _Guard(child, writing, on_line).run(cancelled, timeout)


class _Guard:
    def __init__(self, child: subprocess.Popen[bytes], writing: int, on_line: Callable[[str], None]) -> None:
        self._child = child
        self._writing = writing
        self._on_line = on_line
        self._partial = b""
        self._stopping_since: float | None = None

    def run(self, cancelled: threading.Event, timeout: float) -> Ended:
        ends_at = time.monotonic() + timeout
        was_cancelled = timed_out = False
        output = self._child.stdout
        assert output is not None
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(output, selectors.EVENT_READ)
                while True:
                    if selector.select(_TICK) and not self._read(os.read(output.fileno(), 1 << 16)):
                        break
                    if self._stopping_since is None:
                        was_cancelled = cancelled.is_set()
                        timed_out = not was_cancelled and time.monotonic() > ends_at
                        if was_cancelled or timed_out:
                            self._stop()
                    elif time.monotonic() - self._stopping_since > 2 * deadlines.BUILD_STOP:
                        break
        except BaseException:  # Ctrl-C where no run catches it: TERM first, a bootstrap has mounts to undo
            self._stop()
            raise
        finally:
            self._end()
        return Ended(self._child.returncode, timed_out, was_cancelled)

    def _read(self, data: bytes) -> bool:
        *lines, self._partial = (self._partial + data).split(b"\n")
        if not data or len(self._partial) > _LONGEST_LINE:
            lines, self._partial = [*lines, self._partial], b""
        for line in lines:
            if line.strip():
                self._on_line(line.decode(errors="replace").rstrip())
        return bool(data)

    def _stop(self) -> None:
        if self._writing >= 0:
            os.close(self._writing)
            self._writing = -1
        self._stopping_since = time.monotonic()

    def _end(self) -> None:
        """Leave nothing of the group behind, whatever happened."""
        since = self._stopping_since
        if since is None or time.monotonic() - since < deadlines.BUILD_STOP:
            try:
                self._child.wait(deadlines.BUILD_STOP)
            except subprocess.TimeoutExpired:
                pass
        if self._writing >= 0:
            self._stop()
        try:
            os.killpg(self._child.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        self._child.wait()
        if self._child.stdout is not None:
            self._child.stdout.close()
