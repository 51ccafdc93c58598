"""chat, complete and write_result as a task's script uses them, against a real HTTP server."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from benchrouter.sdk import EndpointError, chat, complete, write_items, write_result
from benchrouter.sdk.result import ResultError

GOOD = {"choices": [{"message": {"content": "four"}}]}


class Endpoint:
    """Answers with the scripted (status, body) pairs, the last one for ever; remembers what it was asked."""

    def __init__(self) -> None:
        self.script: list[tuple[int, Any]] = [(200, GOOD)]
        self.asked: list[dict[str, Any]] = []
        self.length = 0
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.asked.append({"path": self.path, "key": self.headers["Authorization"], **body})
                status, answer = endpoint.script.pop(0) if len(endpoint.script) > 1 else endpoint.script[0]
                data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(max(len(data), endpoint.length)))
                self.send_header("Retry-After", "0")
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/v1"


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    server = Endpoint()
    monkeypatch.setenv("BENCHROUTER_MODEL_ENDPOINT", server.url)
    monkeypatch.setenv("BENCHROUTER_MODEL_NAME", "m-1")
    monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
    monkeypatch.setenv("no_proxy", "*")
    yield server
    server.server.shutdown()
    server.server.server_close()


def test_a_question_is_asked_with_the_declared_parameters(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHROUTER_MODEL_PARAMETERS", '{"temperature": 0, "max_tokens": 5}')
    assert chat("2+2?", max_tokens=9) == "four"
    assert endpoint.asked == [
        {
            "path": "/v1/chat/completions",
            "key": "Bearer EMPTY",
            "model": "m-1",
            "messages": [{"role": "user", "content": "2+2?"}],
            "temperature": 0,
            "max_tokens": 9,
        }
    ]


def test_too_many_requests_and_5xx_are_tried_again(endpoint: Endpoint) -> None:
    endpoint.script = [(429, {}), (503, {}), (200, GOOD)]
    assert chat("?") == "four"
    assert len(endpoint.asked) == 3


def test_no_text_in_the_answer_is_an_empty_answer(endpoint: Endpoint) -> None:
    endpoint.script = [(200, {"choices": [{"message": {"content": None}}]})]
    assert chat("?") == ""


@pytest.mark.parametrize(
    ("script", "asked", "says"),
    [
        ((401, {"error": "who"}), 1, "status 401"),
        ((404, {}), 1, "status 404"),
        ((500, {}), 2, "status 500"),
        ((200, {"choices": []}), 1, "no choices"),
        ((200, [1]), 1, "no choices"),
        ((200, {"choices": [{"message": "four"}]}), 1, "no choices"),
        ((200, {"choices": [{"message": {}}]}), 1, "no choices"),
        ((200, b"<html>"), 2, "JSONDecodeError"),
        ((200, b"\xff"), 2, "JSONDecodeError"),
        ((200, b""), 2, "JSONDecodeError"),
    ],
)
def test_a_failing_endpoint_is_no_zero(
    endpoint: Endpoint, script: tuple[int, Any], asked: int, says: str
) -> None:
    endpoint.script = [script]
    with pytest.raises(EndpointError) as raised:
        chat("?", attempts=2)
    assert says in str(raised.value) and raised.value.code == 75 and len(endpoint.asked) == asked


def test_half_of_a_surrogate_pair_in_an_answer_costs_nothing(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script that printed such an answer, or wrote it into a file of its own, ended with an error."""
    monkeypatch.setenv("BENCHROUTER_OUTPUT_DIR", str(tmp_path))
    odd = br"""{"choices": [{"message": {"content": "a\ud800b \ud83d\ude00 \ufeffc \udfff%b"}}]}""" % b"caf\xe9"
    endpoint.script = [(200, odd)]
    answer = chat("?")
    assert answer == "a\ufffdb \U0001f600 \ufeffc \ufffdcaf\ufffd"
    answer.encode()
    path = write_items([{"id": "\ud800", "score": 1, "answers": ("\ud83d", {"\udc00": None})}], more=[float("nan")])
    written = path.read_bytes()
    (item,) = json.loads(written)["items"]
    assert item == {"id": "\ufffd", "score": 1, "answers": ["\ufffd", {"\ufffd": None}]}
    assert rb"\ud8" not in written and rb"\udc" not in written


def test_an_answer_that_is_cut_off_is_a_failure_of_the_endpoint(endpoint: Endpoint) -> None:
    endpoint.length = 500
    with pytest.raises(EndpointError, match="IncompleteRead"):
        chat("?", attempts=1)


def test_the_whole_answer_is_given_tool_calls_and_usage_included(endpoint: Endpoint) -> None:
    call = {"id": "call_0", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    said = {"choices": [{"message": {"role": "assistant", "tool_calls": [call]}}], "usage": {"prompt_tokens": 3}}
    endpoint.script = [(200, said)]
    tools = [{"type": "function", "function": {"name": "f"}}]
    assert complete([{"role": "user", "content": "?"}], tools, tool_choice="auto") == said
    assert (endpoint.asked[0]["tools"], endpoint.asked[0]["tool_choice"]) == (tools, "auto")
    assert chat("?") == "" and "tools" not in endpoint.asked[1]


def test_what_is_sent_along_has_an_order(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    def sent(**more: Any) -> dict[str, Any]:
        complete("?", **more)
        return {key: endpoint.asked[-1][key] for key in ("seed", "temperature", "top_p") if key in endpoint.asked[-1]}

    defaults = {"temperature": 0, "top_p": 1}
    assert sent() == {}
    monkeypatch.setenv("BENCHROUTER_SEED", "7")
    assert sent(defaults=defaults) == {"seed": 7, "temperature": 0, "top_p": 1}
    monkeypatch.setenv("BENCHROUTER_MODEL_PARAMETERS", '{"temperature": 0.6, "seed": 8}')
    assert sent(defaults=defaults) == {"seed": 8, "temperature": 0.6, "top_p": 1}
    assert sent(defaults=defaults, temperature=1) == {"seed": 8, "temperature": 1, "top_p": 1}


def test_an_endpoint_error_gets_past_a_broad_except_and_ends_the_script_with_75(endpoint: Endpoint) -> None:
    endpoint.script = [(401, {})]
    script = (
        "from benchrouter.sdk import chat, write_result\n"
        "try:\n    chat('?')\nexcept Exception:\n    write_result(0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 75 and "status 401" in done.stderr


def test_nobody_answers(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHROUTER_MODEL_ENDPOINT", "http://127.0.0.1:1/v1")
    with pytest.raises(EndpointError, match="refused"):
        chat("?", attempts=1)
    assert endpoint.asked == []


def test_write_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHROUTER_OUTPUT_DIR", str(tmp_path))
    path = write_result(1, items=[{"id": "a", "score": 1}])
    assert json.loads(path.read_text()) == {"overall": 1.0, "items": [{"id": "a", "score": 1}]}
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.json"]


@pytest.mark.parametrize("overall", [float("nan"), 1.5, -1, "0.5", True, None])
def test_write_result_refuses_what_is_no_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, overall: Any
) -> None:
    monkeypatch.setenv("BENCHROUTER_OUTPUT_DIR", str(tmp_path))
    with pytest.raises(ResultError):
        write_result(overall)
    assert list(tmp_path.iterdir()) == []
