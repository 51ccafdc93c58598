"""A chat endpoint whose answers the test decides."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[dict[str, Any]], str | dict[str, Any] | int | bytes]
"""Gives, for the body of a request, the message or its text, or a status, or the bytes of the whole answer."""


class Scripted(ThreadingHTTPServer):
    """Answers completions as `answer` says, and keeps what it was asked, key and body."""

    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.asked: list[tuple[str, dict[str, Any]]] = []

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def environment(self, key: str = "sk-of-the-model") -> dict[str, str]:
        """Give what names this endpoint to BenchRouter."""
        return {"BENCHROUTER_MODEL_ENDPOINT": self.url, "OPENAI_API_KEY": key}


class _Handler(BaseHTTPRequestHandler):
    server: Scripted

    def do_GET(self) -> None:
        self._send(200, b'{"data": []}')

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.headers.get("Authorization", ""), body))
        answer = self.server.answer(body)
        if isinstance(answer, int):
            self._send(answer, b'{"error": {"message": "refused by the test"}}')
        elif isinstance(answer, bytes):
            self._send(200, answer)
        else:
            self._send(200, _completion(body.get("model", ""), answer))

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        with suppress(ConnectionError):
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


def called(name: str, arguments: str) -> dict[str, Any]:
    """Give a message that calls a tool."""
    function = {"name": name, "arguments": arguments}
    return {"content": None, "tool_calls": [{"id": "call_0", "type": "function", "function": function}]}


def _completion(model: str, answer: str | dict[str, Any]) -> bytes:
    message = {"content": answer} if isinstance(answer, str) else answer
    reason = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    head = {"id": "c", "object": "chat.completion", "created": 0, "model": model}
    return json.dumps({**head, "choices": [choice], "usage": usage}).encode()


@contextmanager
def scripted(answer: Answer) -> Iterator[Scripted]:
    """Serve while the block runs."""
    with Scripted(answer) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


def last_user_text(body: dict[str, Any]) -> str:
    """Give the text of the last user message of a request."""
    content = [message["content"] for message in body["messages"] if message["role"] == "user"][-1]
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
