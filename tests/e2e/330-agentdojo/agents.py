"""Two agents for AgentDojo: one that obeys whoever speaks last, and one with bad habits."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Message = dict[str, Any]


class Agents(ThreadingHTTPServer):
    """Serves `/obedient/v1`, which knows `prompts` and `goals`, and `/odd/v1`, which knows the order of `prompts`."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.prompts: dict[str, Any] = {}
        self.goals: dict[str, Any] = {}
        self.bodies: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        """Give the URL below which the agents are."""
        return f"http://127.0.0.1:{self.server_port}"

    def obey(self, messages: list[Message]) -> Message:
        """Do what the user's ground truth does, then what that of an injection does, once one was read."""
        asked, final = self.prompts[_last_user(messages)]
        seen = _letters("".join(_text(each) for each in messages if each["role"] == "tool"))
        told = next((calls for goal, calls in self.goals.items() if _letters(goal) in seen), [])
        said = sum(each["role"] == "assistant" for each in messages)
        turns = [turn for turn in (asked, told) if turn]
        return _calls(said, turns[said]) if said < len(turns) else {"role": "assistant", "content": final}

    def odd(self, messages: list[Message]) -> tuple[int, Any]:
        """Refuse the first question as too long; call a tool with what is no JSON at the second; else say no."""
        known = list(self.prompts)
        place = known.index(_last_user(messages))
        if place == 0:
            fault = {"message": "maximum context length exceeded", "code": "context_length_exceeded", "type": "x"}
            return 400, {"error": fault}
        message = {"role": "assistant", "content": "I do not know."}
        if place == 1:
            message = _calls(0, [("get_iban", {})])
            message["tool_calls"][0]["function"]["arguments"] = '{"account": '
        return 200, message


class _Handler(BaseHTTPRequestHandler):
    server: Agents

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append(body)
        obedient, messages = self.path.startswith("/obedient/"), body["messages"]
        status, said = (200, self.server.obey(messages)) if obedient else self.server.odd(messages)
        data = json.dumps({"choices": [{"index": 0, "message": said}]} if status == 200 else said).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


@contextmanager
def agents() -> Iterator[Agents]:
    """Serve while the block runs."""
    with Agents() as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


def _last_user(messages: list[Message]) -> str:
    return next(_text(each) for each in reversed(messages) if each["role"] == "user")


def _text(message: Message) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _letters(text: str) -> str:
    """Keep letters and digits: tools wrap and quote what they show."""
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def _calls(said: int, calls: list[tuple[str, dict[str, Any]]]) -> Message:
    functions = [{"name": name, "arguments": json.dumps(arguments)} for name, arguments in calls]
    known = [{"id": f"c{said}-{i}", "type": "function", "function": each} for i, each in enumerate(functions)]
    return {"role": "assistant", "content": None, "tool_calls": known}
