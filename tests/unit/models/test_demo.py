from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from benchrouter.models.answers import UNKNOWN, Answers
from benchrouter.models.demo import DemoEndpoint

LONG = "é" * 100 + "\n```python\nx = 1\n```"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[DemoEndpoint]:
    with DemoEndpoint(Answers({"a b": {"what?": LONG}, "other": {"what?": "other"}})) as started:
        yield started


def post(url: str, body: object, route: str = "/chat/completions") -> tuple[int, bytes]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url + route, data), timeout=5) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def request(text: object = "what?", **more: Any) -> dict[str, Any]:
    return {"model": "demo", "messages": [{"role": "user", "content": text}], **more}


def test_answers_in_the_form_of_openai_and_always_alike(endpoint: DemoEndpoint) -> None:
    first = post(endpoint.endpoint_for("a b"), request())
    assert first == post(endpoint.endpoint_for("a b"), request())
    completion = json.loads(first[1])
    assert completion["object"] == "chat.completion"
    assert completion["choices"][0]["message"] == {"role": "assistant", "content": LONG}
    assert completion["choices"][0]["finish_reason"] == "stop"
    assert completion["usage"]["total_tokens"] == 1 + len(LONG.split())


def test_the_last_user_message_counts_also_in_parts(endpoint: DemoEndpoint) -> None:
    parts = [{"type": "text", "text": "what?"}, {"type": "image_url", "image_url": {"url": "data:"}}]
    messages = [
        {"role": "developer", "content": "what?"},
        {"role": "user", "content": "before"},
        {"role": "assistant", "content": None},
        {"role": "user", "content": parts},
        {"role": "tool", "content": "x"},
    ]
    reply = json.loads(post(endpoint.endpoint_for("other"), {"model": "demo", "messages": messages})[1])
    assert reply["choices"][0]["message"]["content"] == "other"


def test_unknown_questions_and_benchmarks(endpoint: DemoEndpoint) -> None:
    for url, text in (
        (endpoint.start(), "else"),
        (endpoint.endpoint_for("no/such"), "what?"),
        (endpoint.start(), 5),
    ):
        reply = json.loads(post(url, request(text))[1])
        assert reply["choices"][0]["message"]["content"] == UNKNOWN


def test_streamed_chunks_give_the_same_text(endpoint: DemoEndpoint) -> None:
    body = request(stream=True, n=2, stream_options={"include_usage": True})
    status, data = post(endpoint.endpoint_for("a b"), body)
    events = [event.removeprefix("data: ") for event in data.decode().strip().split("\n\n")]
    assert (status, events[-1]) == (200, "[DONE]")
    chunks = [json.loads(event) for event in events[:-1]]
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    for index in (0, 1):
        said = [c["choices"][0] for c in chunks if c["choices"] and c["choices"][0]["index"] == index]
        assert "".join(choice["delta"].get("content", "") for choice in said) == LONG
        assert said[-1]["finish_reason"] == "stop"
    assert chunks[-1]["choices"] == []
    assert chunks[-1]["usage"]["total_tokens"] > 0


def test_lists_one_model(endpoint: DemoEndpoint) -> None:
    for url in (endpoint.start(), endpoint.endpoint_for("a b")):
        with urllib.request.urlopen(url + "/models", timeout=5) as reply:
            assert [model["id"] for model in json.load(reply)["data"]] == ["demo"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "not valid JSON"),
        (b"[" * 200_000, "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        ([], "JSON object"),
        ({"messages": [{"role": "user", "content": "x"}]}, "`model`"),
        ({"model": "demo"}, "`messages`"),
        ({"model": "demo", "messages": []}, "`messages`"),
        ({"model": "demo", "messages": ["x"]}, "`messages`"),
        (request(n=0.5), "`n`"),
        (request(n=1000), "`n`"),
    ],
)
def test_bad_requests_are_errors_in_the_form_of_openai(
    endpoint: DemoEndpoint, body: object, said: str
) -> None:
    status, data = post(endpoint.start(), body)
    assert status == 400
    assert said in json.loads(data)["error"]["message"]
    assert json.loads(data)["error"]["type"] == "invalid_request_error"


def test_unknown_routes_are_404(endpoint: DemoEndpoint) -> None:
    base = endpoint.start()
    for url, route in ((base, "/completions"), (base.removesuffix("/v1"), "/"), (base, "/a/b/c")):
        assert post(url, request(), route)[0] == 404


def test_a_request_without_length_is_refused_and_a_connection_is_reused(endpoint: DemoEndpoint) -> None:
    host = endpoint.start().removeprefix("http://").removesuffix("/v1")
    connection = http.client.HTTPConnection(host, timeout=5)
    for _ in range(3):
        connection.request("POST", "/v1/chat/completions", json.dumps(request()))
        assert connection.getresponse().read()
    connection.request("POST", "/v1/chat/completions", iter([b"{}"]), {"Transfer-Encoding": "chunked"})
    answer = connection.getresponse()
    assert answer.status == 411
    connection.close()


def test_many_clients_at_once(endpoint: DemoEndpoint) -> None:
    url = endpoint.endpoint_for("other")
    with ThreadPoolExecutor(32) as pool:
        replies = list(pool.map(lambda _: post(url, request()), range(300)))
    assert {status for status, _ in replies} == {200}
    assert len(set(replies)) == 1


def test_many_threads_start_one_server() -> None:
    endpoint = DemoEndpoint(Answers())
    with ThreadPoolExecutor(16) as pool:
        assert len(set(pool.map(lambda _: endpoint.endpoint_for("x"), range(64)))) == 1
    endpoint.stop()


def test_stops_at_once_even_with_an_open_connection_and_starts_anew() -> None:
    endpoint = DemoEndpoint(Answers())
    endpoint.stop()
    url = endpoint.start()
    assert endpoint.start() == url
    host = url.removeprefix("http://").removesuffix("/v1")
    connection = http.client.HTTPConnection(host, timeout=5)
    connection.request("GET", "/v1/models")
    connection.getresponse().read()
    started = time.monotonic()
    endpoint.stop()
    endpoint.stop()
    assert time.monotonic() - started < 1
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url + "/models", timeout=2)
    connection.close()
    assert endpoint.start()
    endpoint.stop()
