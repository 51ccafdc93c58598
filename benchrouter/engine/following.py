"""Following one container: its output and its end, on two connections, without a thread of its own."""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from benchrouter.engine.errors import EngineError
from benchrouter.engine.streams import Demultiplexer, Stream

if TYPE_CHECKING:
    from benchrouter.engine.client import Engine

_CHUNK = 1 << 16
_READS_PER_STEP = 32


class Following:
    """Two open requests, attach and wait; made before the container starts so that nothing is missed."""

    def __init__(self, engine: Engine, container: str, on_output: Callable[[Stream, bytes], None]) -> None:
        api: Any = engine.api  # the library keeps the two helpers that streaming needs to itself
        self.code: int | None = None
        self._on_output = on_output
        self._frames = Demultiplexer()
        self._attached = api.attach_socket(container, params={"stdout": 1, "stderr": 1, "stream": 1})
        self._output = _socket_of(self._attached)
        self._output.setblocking(False)
        url = api._url("/containers/{0}/wait", container)
        self._wait = api.post(url, params={"condition": "next-exit"}, stream=True, timeout=api.timeout)
        self._wait.raise_for_status()
        self._end = _socket_of(api._get_raw_response_socket(self._wait))
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._output, selectors.EVENT_READ)
        self._selector.register(self._end, selectors.EVENT_READ)

    def step(self, seconds: float) -> None:
        """Wait up to `seconds` for output or the end; hand on the one, note the other in `code`."""
        for key, _ in self._selector.select(seconds):
            if key.fileobj is self._output:
                self._read_output()
            else:
                self._read_end()

    def drain(self, seconds: float) -> None:
        """Hand on what was on its way when the container ended; do not wait for who holds stdout."""
        until = time.monotonic() + seconds
        while self._output in self._selector.get_map() and time.monotonic() < until:
            self.step(min(0.5, seconds))

    def close(self) -> None:
        """Close both connections."""
        self._selector.close()
        # An upgraded connection must not go back to the pool: the socket itself is closed, then its response.
        for closing in (self._output.close, _response_close(self._attached), self._wait.close):
            try:
                closing()
            except (OSError, ValueError):
                pass

    def _read_output(self) -> None:
        for _ in range(_READS_PER_STEP):
            try:
                data = self._output.recv(_CHUNK)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                data = b""
            if not data:
                self._selector.unregister(self._output)
                return
            for stream, chunk in self._frames.feed(data):
                self._on_output(stream, chunk)

    def _read_end(self) -> None:
        self._selector.unregister(self._end)
        try:
            said = self._wait.json()
            failure = (said.get("Error") or {}).get("Message")
            code = int(said["StatusCode"])
        except Exception:  # whatever the libraries raise on a connection that broke
            raise EngineError("lost the connection to the engine while a container was running") from None
        if failure:
            raise EngineError(f"the engine lost track of a container: {failure}")
        self.code = code


def _socket_of(raw: Any) -> socket.socket:
    """Find the socket below the file object that the docker library hands out."""
    found = getattr(raw, "_sock", raw)
    if not hasattr(found, "recv"):
        raise EngineError("this engine's transport cannot stream output; use a unix:// or tcp:// address")
    return found  # type: ignore[no-any-return]


def _response_close(attached: Any) -> Callable[[], None]:
    response = getattr(attached, "_response", None)
    return response.close if response is not None else lambda: None
