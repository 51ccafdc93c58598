"""An engine that stops answering, without closing anything, does not keep a run from ending."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from killing import check_nothing_left, dead_runs, end_of, start
from project import SCORE, Project, wait_until
from soaking import only_in_soak

SOCKET = "/var/run/docker.sock"


class Relay:
    """Hands bytes between clients and the engine until it is frozen."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.flowing = threading.Event()
        self.flowing.set()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(SOCKET)
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(1 << 16):
                self.flowing.wait()
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self) -> None:
        """Stop taking connections, and let what is there flow."""
        self._listener.close()
        self.flowing.set()


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[Relay]:
    """A relay to the engine at its usual socket."""
    if not Path(SOCKET).is_socket() or os.environ.get("DOCKER_HOST"):
        pytest.skip("the engine is not at its usual socket")
    made = Relay(tmp_path / "relay.sock")
    yield made
    made.close()


@only_in_soak("takes a minute")
def test_ctrl_c_while_the_engine_is_stuck(project: Project, relay: Relay) -> None:
    """Freeze the engine under four jobs, press Ctrl-C: an end in bounded time, and the next start sweeps."""
    project.benchmark("b", {**{f"t{i}": f"sleep 60; {SCORE % 1}" for i in range(4)}, "quick": SCORE % 1})
    project.run("tasks=b/quick")
    process = start(project, env={"DOCKER_HOST": f"unix://{relay.path}"})
    wait_until(lambda: len(list((project.root / "cache/attempts").glob("*/*/output"))) == 4)
    time.sleep(1.5)
    relay.flowing.clear()
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    done = end_of(process, 90)
    assert done.status == 130, done.text
    assert time.monotonic() - began < 60
    assert "the next start removes what they leave" in done.err, done.err
    assert "Traceback" not in done.text and dead_runs(project)
    relay.flowing.set()
    project.run("tasks=b/quick")
    check_nothing_left(project)
