"""Signals to a running container, sent beside the reading of its output."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from benchrouter.engine.errors import EngineError

if TYPE_CHECKING:
    from benchrouter.engine.client import Engine

_TERM_TO_ALL = ["/bin/sh", "-c", "kill -TERM -1"]


class Signals:
    """The signals that one container is sent.

    The engine answers a KILL only when the container's last output has been taken off its hands. Whoever reads
    that output must therefore never wait for the answer: each signal has a short-lived thread.
    """

    def __init__(self, engine: Engine, container: str) -> None:
        self._engine = engine
        self._container = container
        self._failure: EngineError | None = None

    def send(self, signal: str) -> None:
        """Send a signal without waiting for the engine's answer."""
        threading.Thread(target=self._send, args=(signal,), name="engine-signal", daemon=True).start()

    def check(self) -> None:
        """Raise EngineError if a signal could not be sent."""
        if self._failure is not None:
            raise self._failure

    def _send(self, signal: str) -> None:
        try:
            with self._engine.errors(f"stopping container {self._container[:12]}"):
                self._engine.api.kill(self._container, signal)
        except EngineError as error:
            if "is not running" not in str(error) and "no such container" not in str(error).lower():
                self._failure = error
            return
        if signal == "TERM":
            self._tell_all()

    def _tell_all(self) -> None:
        """Pass TERM on: the shell around the command is process 1, which ignores it, and the task never hears of it."""
        try:
            with self._engine.errors("passing on TERM"):
                made = self._engine.api.exec_create(self._container, _TERM_TO_ALL, stdout=False, stderr=False)
                self._engine.api.exec_start(made["Id"], detach=True)
        except EngineError:
            pass  # it has ended, or there is no room for another process; KILL follows
