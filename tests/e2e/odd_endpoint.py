"""An endpoint that fails in each way that endpoints fail, one way below each first part of the path."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KINDS = ("401", "429", "500", "nonsense", "odd", "nothing", "empty")
"""Ways in which no answer comes: by status, as no JSON, as another JSON, as no bytes, as a message without words."""

SAID = "Answer: A"
BODIES: dict[str, Any] = {
    "nonsense": "<html>It works</html>",
    "odd": {"choices": [], "object": "list"},
    "nothing": "",
    "empty": {"choices": [{"message": {"role": "assistant", "content": ""}}]},
}


def lost(question: str) -> bool:
    """Tell whether `some` fails at this question: a third of them."""
    return zlib.crc32(question.encode()) % 3 == 0


class OddHandler(BaseHTTPRequestHandler):
    """Fails as the first part of the path says."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send(200, {"data": []})

    def do_POST(self) -> None:
        kind = self.path.split("/")[1]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if kind.isdigit():
            self.send(int(kind), {"error": {"message": f"this is {kind}"}})
        elif kind in BODIES:
            self.send(200, BODIES[kind])
        elif kind == "no-tools" and body.get("tools"):
            self.send(400, {"error": {"message": "this model has no tools"}})
        elif kind == "some" and lost(body["messages"][-1]["content"]):
            self.send(400, {"error": {"message": "too long"}})
        else:
            self.send(200, {"choices": [{"message": {"role": "assistant", "content": SAID}}]})

    def send(self, status: int, body: Any) -> None:
        """Send a JSON document, or a text as it is."""
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


@contextmanager
def odd_endpoint() -> Iterator[str]:
    """Serve while the block runs; give the URL below which the kinds are."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), OddHandler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
