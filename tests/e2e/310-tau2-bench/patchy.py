"""The demo model of a benchmark, but for some conversations, which fail each in a way of its own."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path

from odd_endpoint import BODIES, OddHandler

from benchrouter.models.answers import Answers, load_answers
from benchrouter.models.completion import complete, text_of


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    answers: Answers
    failing: Mapping[str, str]


class _Handler(OddHandler):
    server: _Server

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        told = text_of(request["messages"][0]["content"])
        kind = next((kind for part, kind in self.server.failing.items() if part in told), "")
        if kind == "gone":
            self.close_connection = True
        elif kind.isdigit():
            self.send(int(kind), {"error": {"message": f"this is {kind}"}})
        elif kind:
            self.send(200, BODIES[kind])
        else:
            self.send(200, complete(request, self.server.answers, None))


@contextmanager
def patchy(root: Path, failing: Mapping[str, str]) -> Iterator[str]:
    """Serve a benchmark's answers while the block runs; give the base URL.

    `failing`: a part of a conversation's system message → a status, a kind of odd_endpoint, or `gone`.
    """
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.answers, server.failing = load_answers({root.name: root}), failing
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
