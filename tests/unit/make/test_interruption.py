"""Signals that mean "end": they arrive whatever the main thread does."""

from __future__ import annotations

import errno
import io
import subprocess
import sys
import threading

import pytest

from benchrouter.make.interruption import LastingStream

ELSEWHERE = """
import os, queue, signal, threading
from benchrouter.make.interruption import SIGNALS, stop_in_order

wake = queue.SimpleQueue()
stop_in_order(lambda: wake.put("stopped"))
threading.Thread(target=threading.Event().wait, daemon=True).start()  # may be given the signal
signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # and the main thread is not
threading.Timer(0.1, os.kill, (os.getpid(), signal.SIG{name})).start()
print(wake.get())
[thread.join(10) for thread in threading.enumerate() if thread.name == "signals"]
"""


def test_a_signal_that_another_thread_is_given_stops_a_waiting_main_thread() -> None:
    """Many signals at once hung a run: the main thread waited, and never came to run its handler."""
    for name in ("INT", "TERM", "HUP"):
        done = subprocess.run(
            [sys.executable, "-c", ELSEWHERE.format(name=name)], capture_output=True, text=True, timeout=30, check=False
        )
        assert (done.returncode, done.stdout) == (0, "stopped\n"), done.stderr
        assert done.stderr == f"SIG{name}: stopping; containers are being removed\n"


class Gone(io.StringIO):
    """A terminal that is there no more."""

    def write(self, text: str) -> int:
        """Fail as the kernel does."""
        raise OSError(errno.EIO, "Input/output error")


def test_a_terminal_that_is_lost_under_the_live_view_is_told_past_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The view stood in for stderr, so the complaint waited for its lock, whose holder waited for the stream."""
    from rich.console import Console
    from rich.file_proxy import FileProxy

    console, told = Console(file=io.StringIO()), io.StringIO()
    monkeypatch.setattr(sys, "stderr", FileProxy(console, told))
    lost = LastingStream(Gone())
    with console._lock:
        writer = threading.Thread(target=lost.write, args=("x",), daemon=True)
        writer.start()
        writer.join(10)
        assert not writer.is_alive()
    assert "the output cannot be written: Input/output error" in told.getvalue()
