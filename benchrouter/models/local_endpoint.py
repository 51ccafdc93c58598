"""An HTTP server of ours on 127.0.0.1, on a free port, in a thread."""

from __future__ import annotations

import threading
from functools import partial
from http.server import ThreadingHTTPServer
from types import TracebackType
from urllib.parse import quote

from benchrouter.models.local_api import ApiHandler


class LocalEndpoint:
    """Serves with handlers of one kind until stopped; `serves` is what they find at `server.serves`."""

    def __init__(self, handler: type[ApiHandler], serves: object) -> None:
        self._handler = handler
        self._serves = serves
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def start(self) -> str:
        """Start serving, once, and return the base URL."""
        with self._lock:
            if self._server is None:
                self._server = _Server(self._handler, self._serves)
                serve = partial(self._server.serve_forever, poll_interval=0.05)
                self._thread = threading.Thread(target=serve, name=self._handler.model_name, daemon=True)
                self._thread.start()
            return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def endpoint_for(self, name: str) -> str:
        """Start if need be, and return the base URL of one name (a benchmark, a job)."""
        return f"{self.start().removesuffix('/v1')}/{quote(name, safe='')}/v1"

    def stop(self) -> None:
        """Stop serving; harmless when not started or stopped already."""
        with self._lock:
            server, thread, self._server, self._thread = self._server, self._thread, None, None
        if server is None or thread is None:
            return
        server.shutdown()
        server.server_close()
        thread.join(timeout=5.0)

    def __enter__(self) -> LocalEndpoint:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, handler: type[ApiHandler], serves: object) -> None:
        self.serves = serves
        super().__init__(("127.0.0.1", 0), handler)

    def server_bind(self) -> None:
        # The base class looks up the host's name, which can take seconds where DNS is slow.
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "localhost", self.server_address[1]

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing when a client goes away in the middle of an answer."""
