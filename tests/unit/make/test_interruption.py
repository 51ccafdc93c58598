"""Signals that mean "end": they arrive whatever the main thread does."""

from __future__ import annotations

import subprocess
import sys

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
