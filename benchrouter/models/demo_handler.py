"""One HTTP request to the demo model: routes, validation, plain and streamed answers."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import unquote, urlsplit

from benchrouter.models.answers import Answers
from benchrouter.models.completion import chunks, complete

_ROUTES = "known are GET /v1/models and POST /v1/chat/completions"
_MAX_BODY = 64 * 1024 * 1024


class _RequestError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class DemoHandler(BaseHTTPRequestHandler):
    """Answer chat completions and the list of models from `server.answers`."""

    protocol_version = "HTTP/1.1"
    server_version = "benchrouter-demo"
    disable_nagle_algorithm = True
    timeout = 600

    def do_GET(self) -> None:
        """Serve the list of models."""
        try:
            _, route = self._route()
            if route != "/models":
                raise _RequestError(404, f"no route GET {route}; {_ROUTES}")
            model = {"id": "demo", "object": "model", "created": 0, "owned_by": "benchrouter"}
            self._send_json(200, {"object": "list", "data": [model]})
        except _RequestError as error:
            self._send_error(error)

    def do_POST(self) -> None:
        """Serve a chat completion."""
        try:
            body = self._body()
            benchmark, route = self._route()
            if route != "/chat/completions":
                raise _RequestError(404, f"no route POST {route}; {_ROUTES}")
            request = _parse(body)
            completion = complete(request, self._answers, benchmark)
            if request.get("stream"):
                self._send_stream(completion, request)
            else:
                self._send_json(200, completion)
        except _RequestError as error:
            self._send_error(error)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the terminal quiet."""

    @property
    def _answers(self) -> Answers:
        answers: Answers = self.server.answers  # type: ignore[attr-defined]
        return answers

    def _route(self) -> tuple[str | None, str]:
        path = urlsplit(self.path).path.rstrip("/")
        prefix, found, route = path.partition("/v1/")
        if not found or prefix.count("/") > 1:
            raise _RequestError(404, "the demo model is served under /v1 and /<benchmark>/v1")
        return unquote(prefix.removeprefix("/")) or None, f"/{route}"

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            self.close_connection = True
            raise _RequestError(411, "a request needs Content-Length")
        if int(length) > _MAX_BODY:
            self.close_connection = True
            raise _RequestError(413, f"the request is longer than {_MAX_BODY} bytes")
        return self.rfile.read(int(length))

    def _send_error(self, error: _RequestError) -> None:
        kind = "invalid_request_error"
        self._send_json(
            error.status, {"error": {"message": error.message, "type": kind, "param": None, "code": None}}
        )

    def _send_json(self, status: int, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def _send_stream(self, completion: dict[str, Any], request: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        events = [json.dumps(chunk) for chunk in chunks(completion, request)]
        for event in [*events, "[DONE]"]:
            data = f"data: {event}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.write(b"0\r\n\r\n")


def _parse(body: bytes) -> dict[str, Any]:
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        raise _RequestError(400, "the request is not valid JSON") from None
    if not isinstance(request, dict):
        raise _RequestError(400, "the request must be a JSON object")
    if not isinstance(request.get("model"), str) or not request["model"]:
        raise _RequestError(400, "`model` must be a text")
    messages = request.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(m, dict) for m in messages):
        raise _RequestError(400, "`messages` must be a list of at least one object")
    if not isinstance(request.get("n") or 1, int) or not 1 <= (request.get("n") or 1) <= 128:
        raise _RequestError(400, "`n` must be a number from 1 to 128")
    return request
