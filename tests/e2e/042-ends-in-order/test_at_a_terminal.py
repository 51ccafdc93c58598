"""The same at a terminal, with the live view: Ctrl-C twice, and a terminal that is closed."""

from __future__ import annotations

import fcntl
import os
import pty
import subprocess
import termios
import threading
import time

from killing import check_nothing_left, client, dead_runs
from project import DOIT, Project, wait_until

STUBBORN = "trap '' TERM INT HUP; while :; do echo still here; sleep 1; done"


class Terminal:
    """A terminal with `doit run` in it; `shown` is what a person would have seen."""

    def __init__(self, project: Project) -> None:
        self._master, slave = pty.openpty()
        self.shown = b""
        self.process = subprocess.Popen(
            [str(DOIT), "run", "model=m", "preflight=0"],
            cwd=project.root,
            env={**project.full_environment(), "TERM": "xterm"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
        )
        os.close(slave)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            while data := os.read(self._master, 1 << 16):
                self.shown += data
        except OSError:
            pass

    def press_ctrl_c(self) -> None:
        """Type it."""
        os.write(self._master, b"\x03")

    def close(self) -> None:
        """Close the window."""
        os.close(self._master)


def begin(project: Project) -> Terminal:
    """Start a run of tasks that ignore signals, and wait until they run."""
    project.benchmark("b", {f"t{i}": STUBBORN for i in range(3)})
    terminal = Terminal(project)
    wait_until((project.root / ".benchrouter" / "id").exists)
    with client() as api:
        label = {"label": f"benchrouter.workspace={project.id}", "status": "running"}
        wait_until(lambda: len(api.containers(filters=label)) == 3)
    return terminal


def test_ctrl_c_twice(project: Project) -> None:
    """Press it, and once more while containers are being removed."""
    terminal = begin(project)
    wait_until(lambda: b"still here" in terminal.shown)
    began = time.monotonic()
    for _ in range(3):
        terminal.press_ctrl_c()
        time.sleep(0.5)
    assert terminal.process.wait(20) == 130, terminal.shown
    assert time.monotonic() - began < 10
    assert b"SIGINT: stopping" in terminal.shown and b"Traceback" not in terminal.shown, terminal.shown
    check_nothing_left(project)


def test_the_window_is_closed(project: Project) -> None:
    """Close it: the kernel sends HUP, and every write to the terminal fails from then on."""
    terminal = begin(project)
    terminal.close()
    assert terminal.process.wait(20) == 130
    assert not dead_runs(project)
    check_nothing_left(project)
