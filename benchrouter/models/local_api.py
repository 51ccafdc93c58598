"""OpenAI's HTTP interface as far as our embedded models have it: routes, bodies, errors, plain and streamed answers."""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import unquote, urlsplit

_ROUTES = "known are GET /v1/models and POST /v1/chat/completions"
_MAX_BODY = 64 * 1024 * 1024


class RequestError(Exception):
    """A request that cannot be answered: what is wrong, the HTTP status, and OpenAI's word for it."""

    def __init__(self, message: str, status: int = 400, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code


def read_request(body: bytes) -> dict[str, Any]:
    """Read the body of a chat completion as far as all models agree; raise RequestError for what is none."""
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        raise RequestError("the request is not valid JSON") from None
    if not isinstance(request, dict):
        raise RequestError("the request must be a JSON object")
    if not isinstance(request.get("model"), str) or not request["model"]:
        raise RequestError("`model` must be a text")
    messages = request.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(m, dict) for m in messages):
        raise RequestError("`messages` must be a list of at least one object")
    return request


class ApiHandler(BaseHTTPRequestHandler):
    """One request to an embedded model; a model's own handler says its `model_name` and how to `complete`."""

    model_name = ""
    protocol_version = "HTTP/1.1"
    server_version = "benchrouter"
    disable_nagle_algorithm = True
    timeout = 600
    streaming = False

    def complete(self, body: bytes, prefix: str | None) -> None:
        """Answer a chat completion by `send_json` or `stream`; `prefix` is what the path had before /v1."""
        raise NotImplementedError

    def do_GET(self) -> None:
        """Serve the list of models."""
        self._guarded(self._list)

    def do_POST(self) -> None:
        """Serve a chat completion."""
        self._guarded(self._complete)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the terminal quiet."""

    def _guarded(self, serve: Callable[[], None]) -> None:
        try:
            serve()
        except RequestError as error:
            kind = "invalid_request_error" if error.status < 500 else "server_error"
            said = {"message": error.message, "type": kind, "param": None, "code": error.code}
            self.send_json(error.status, {"error": said})

    def _list(self) -> None:
        _, route = self._route()
        if route != "/models":
            raise RequestError(f"no route GET {route}; {_ROUTES}", 404)
        model = {"id": self.model_name, "object": "model", "created": 0, "owned_by": "benchrouter"}
        self.send_json(200, {"object": "list", "data": [model]})

    def _complete(self) -> None:
        body = self._body()
        prefix, route = self._route()
        if route != "/chat/completions":
            raise RequestError(f"no route POST {route}; {_ROUTES}", 404)
        self.complete(body, prefix)

    def _route(self) -> tuple[str | None, str]:
        path = urlsplit(self.path).path.rstrip("/")
        prefix, found, route = path.partition("/v1/")
        if not found or prefix.count("/") > 1:
            raise RequestError(f"{self.model_name} is served under /v1 and /<name>/v1", 404)
        return unquote(prefix.removeprefix("/")) or None, f"/{route}"

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            self.close_connection = True
            raise RequestError("a request needs Content-Length", 411)
        if int(length) > _MAX_BODY:
            self.close_connection = True
            raise RequestError(f"the request is longer than {_MAX_BODY} bytes", 413)
        return self.rfile.read(int(length))

    def send_json(self, status: int, content: dict[str, Any]) -> None:
        """Send a whole answer."""
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def stream(self, chunks: Iterable[dict[str, Any]]) -> None:
        """Send chunks as they come; when they break off, so must the connection, which no client takes for an end."""
        self.streaming = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in chunks:
            self._send_event(json.dumps(chunk))
        self._send_event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")
        self.streaming = False

    def _send_event(self, event: str) -> None:
        data = f"data: {event}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def client_is_gone(self) -> bool:
        """Tell whether the client has closed the connection."""
        look = select.poll()  # first: a socket with a timeout waits for it, whatever recv is told
        look.register(self.connection, select.POLLIN)
        try:
            return bool(look.poll(0)) and not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True
