"""A stand-in for a model's endpoint whose answers the test decides; and following a command while it runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, Queue
from subprocess import Popen

from project import Done

ASK = """
place=${BENCHROUTER_MODEL_ENDPOINT#http://}; host=${place%%/*}; path=/${place#*/}
export place host path
status=$(bash -c '
    exec 3<>"/dev/tcp/${host%:*}/${host#*:}"
    printf "POST $path/chat/completions HTTP/1.0\\r\\nContent-Length: 2\\r\\n\\r\\n{}" >&3
    read -r _ code _ <&3; echo "$code"')
echo "asked: ${status:-nobody there}"
[ "$status" = 200 ] || exit 75
echo '{"overall": 0.5}' >"$BENCHROUTER_OUTPUT_DIR/result.json"
"""
"""A task that asks its endpoint once, and ends as the contract says when that does not answer with 200."""


class StandIn(ThreadingHTTPServer):
    """Answers below `/401/v1` with 401 and so on; below `/flaky/v1` with 500 to the first two completions, and
    below `/switch/v1` with what `switch` says."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.switch = 200
        self.asked: list[str] = []
        self.lock = threading.Lock()

    def url(self, name: str) -> str:
        """Give the base URL of one of the endpoints."""
        return f"http://127.0.0.1:{self.server_port}/{name}/v1"

    def status(self, name: str, completion: bool) -> int:
        """Decide the status of an answer."""
        with self.lock:
            self.asked += [name] if completion else []
            if name == "switch":
                return self.switch
            if name == "flaky":
                return 500 if completion and self.asked.count(name) <= 2 else 200
        return int(name)


class _Handler(BaseHTTPRequestHandler):
    server: StandIn

    def do_GET(self) -> None:
        self._answer(completion=False)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer(completion=True)

    def _answer(self, *, completion: bool) -> None:
        body = b'{"data": []}'
        self.send_response(self.server.status(self.path.split("/")[1], completion))
        self.send_header("Content-Length", str(len(body)))
        with suppress(ConnectionError):  # the task reads the status only
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


@contextmanager
def stand_in() -> Iterator[StandIn]:
    """Serve while the block runs."""
    with StandIn() as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


class Follower:
    """Reads what a command prints while it runs."""

    def __init__(self, process: Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self._queue: Queue[str] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._queue.put(line)

    def until(self, text: str, deadline: float = 60.0) -> str:
        """Wait for a line that holds a text."""
        end = time.monotonic() + deadline
        while True:
            try:
                line = self._queue.get(timeout=max(0.01, end - time.monotonic()))
            except Empty:
                self.process.kill()
                raise AssertionError(f"no line with `{text}` in {deadline} s:\n{''.join(self.lines)}") from None
            self.lines.append(line)
            if text in line:
                return line

    def end(self, deadline: float = 60.0) -> Done:
        """Wait for the end of the command."""
        try:
            status = self.process.wait(deadline)
        except BaseException:
            self.process.kill()
            raise
        time.sleep(0.1)
        while not self._queue.empty():
            self.lines.append(self._queue.get())
        assert self.process.stderr is not None
        return Done(status, "".join(self.lines), self.process.stderr.read())
