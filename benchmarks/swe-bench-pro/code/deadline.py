"""Ends suites that never end: the harness waits for each container as long as it takes."""

import subprocess
import threading
import time
from contextlib import contextmanager


@contextmanager
def deadline(seconds):
    """Kill every container of this daemon that is seen for longer, while the block runs."""
    over = threading.Event()
    thread = threading.Thread(target=_watch, args=(seconds, over))
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _watch(seconds, over):
    seen = {}
    while not over.wait(2):
        listed = subprocess.run(["docker", "ps", "--quiet", "--no-trunc"], capture_output=True, text=True, check=False)
        for container in listed.stdout.split():
            if time.monotonic() - seen.setdefault(container, time.monotonic()) > seconds:
                print(f"a suite ran longer than {seconds} s: its container is killed", flush=True)
                subprocess.run(["docker", "kill", container], capture_output=True, check=False)
