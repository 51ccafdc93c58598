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

from benchrouter.models.answer_lines import Book, Given, digest_of_tools
from benchrouter.models.answers import UNKNOWN, Answers, Message
from benchrouter.models.demo import DemoEndpoint

LONG = "é" * 100 + "\n```python\nx = 1\n```"

SEATS = [{"type": "function", "function": {"name": "seat", "parameters": {"type": "object"}}}]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[DemoEndpoint]:
    calls = (("look", '{"where": "' + "é" * 50 + '"}'), ("wait", "{}"))
    turns = (Message(None, calls), Message("And now:", (("go", "{}"),)), Message("Done."))
    any_time, missing = Given(), Given(seen=frozenset({"SIM: missing"}))
    book: Book = {
        "what?": {any_time: LONG},
        "do it": {any_time: turns, Given("You are B."): "I am B."},
        "look": {any_time: "Where?", missing: "The SIM card is missing."},
        "seat 12A": {any_time: "No.", Given(tools=digest_of_tools(SEATS)): (Message(None, (("seat", "{}"),)),)},
    }
    with DemoEndpoint(Answers({"a b": book, "other": {"what?": {any_time: "other"}}})) as started:
        yield started


def post(url: str, body: object, route: str = "/chat/completions") -> tuple[int, bytes]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url + route, data), timeout=60) as reply:
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


def talk(endpoint: DemoEndpoint, rounds: int, **more: Any) -> list[dict[str, Any]]:
    """Ask, do what is asked for, and ask again, as an agent does; return the choices."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "do it"}]
    choices = []
    for _ in range(rounds):
        body = {"model": "demo", "messages": messages, **more}
        choices.append(json.loads(post(endpoint.endpoint_for("a b"), body)[1])["choices"][0])
        messages.append(choices[-1]["message"])
        for call in messages[-1].get("tool_calls", []):
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": "ok"})
    return choices


def test_tool_calls_come_turn_by_turn_with_ids_of_their_own(endpoint: DemoEndpoint) -> None:
    choices = talk(endpoint, 4)
    assert talk(endpoint, 4) == choices
    assert [choice["finish_reason"] for choice in choices] == ["tool_calls", "tool_calls", "stop", "stop"]
    assert [choice["message"]["content"] for choice in choices] == [None, "And now:", "Done.", UNKNOWN]
    calls = [call for choice in choices for call in choice["message"].get("tool_calls", [])]
    assert [call["id"] for call in calls] == ["call_0", "call_1", "call_2"]
    assert [call["function"]["name"] for call in calls] == ["look", "wait", "go"]
    assert json.loads(calls[0]["function"]["arguments"]) == {"where": "é" * 50}
    assert {call["type"] for call in calls} == {"function"}


def test_a_new_user_message_begins_anew_and_ids_go_on(endpoint: DemoEndpoint) -> None:
    said = talk(endpoint, 1)[0]["message"]
    messages = [{"role": "user", "content": "before"}, said, {"role": "user", "content": "do it"}]
    reply = post(endpoint.endpoint_for("a b"), {"model": "demo", "messages": messages})[1]
    (choice,) = json.loads(reply)["choices"]
    assert [call["id"] for call in choice["message"]["tool_calls"]] == ["call_2", "call_3"]


def test_the_tools_on_offer_choose_among_lines(endpoint: DemoEndpoint) -> None:
    for tools, finish in ([], "stop"), (SEATS, "tool_calls"), (SEATS * 2, "stop"), (3, "stop"):
        reply = json.loads(post(endpoint.endpoint_for("a b"), request("seat 12A", tools=tools))[1])
        assert reply["choices"][0]["finish_reason"] == finish


def test_system_and_developer_messages_choose_among_lines(endpoint: DemoEndpoint) -> None:
    for role in ("system", "developer"):
        told = {"role": role, "content": [{"type": "text", "text": "You  are\nB. Be kind."}]}
        body = {"model": "demo", "messages": [told, {"role": "user", "content": "do it"}]}
        reply = json.loads(post(endpoint.endpoint_for("a b"), body)[1])
        assert reply["choices"][0]["message"]["content"] == "I am B."


def test_tool_messages_after_the_question_choose_among_lines(endpoint: DemoEndpoint) -> None:
    asked, called = {"role": "user", "content": "look"}, {"role": "assistant", "content": "I look."}
    tool = {"role": "tool", "tool_call_id": "call_0", "content": [{"type": "text", "text": "SIM:  missing"}]}
    for messages, said in (
        ([asked], "Where?"),
        ([asked, called, tool], "The SIM card is missing."),
        ([asked, called, tool, asked], "Where?"),
    ):
        reply = json.loads(post(endpoint.endpoint_for("a b"), {"model": "demo", "messages": messages})[1])
        assert reply["choices"][0]["message"]["content"] == said


def test_odd_messages_are_no_fault_of_the_server(endpoint: DemoEndpoint) -> None:
    odd = [{}, {"role": "assistant", "tool_calls": 3}, {"role": "system", "content": None}, {"role": ["user"]}]
    status, data = post(endpoint.start(), {"model": "demo", "messages": odd})
    assert status == 200
    assert json.loads(data)["choices"][0]["message"]["content"] == UNKNOWN


def test_streamed_tool_calls_give_the_same_message(endpoint: DemoEndpoint) -> None:
    whole = talk(endpoint, 2)
    messages: list[dict[str, Any]] = [{"role": "user", "content": "do it"}]
    for choice in whole:
        body = {"model": "demo", "messages": messages, "stream": True}
        data = post(endpoint.endpoint_for("a b"), body)[1].decode()
        events = [event.removeprefix("data: ") for event in data.strip().split("\n\n")]
        parts = [json.loads(event)["choices"][0] for event in events[:-1]]
        assert gathered([part["delta"] for part in parts]) == choice["message"]
        assert [part["finish_reason"] for part in parts if part["finish_reason"]] == ["tool_calls"]
        messages.append(choice["message"])


def gathered(deltas: list[dict[str, Any]]) -> dict[str, Any]:
    """Put deltas together as clients of OpenAI do."""
    content: str | None = None
    calls: dict[int, dict[str, Any]] = {}
    for delta in deltas:
        if delta.get("content") is not None:
            content = (content or "") + delta["content"]
        for part in delta.get("tool_calls", []):
            call = calls.setdefault(part["index"], {"function": {"arguments": ""}})
            call.update({key: part[key] for key in ("id", "type") if key in part})
            if "name" in part["function"]:
                call["function"]["name"] = part["function"]["name"]
            call["function"]["arguments"] += part["function"]["arguments"]
    return {"role": "assistant", "content": content, "tool_calls": list(calls.values())}


def test_lists_one_model(endpoint: DemoEndpoint) -> None:
    for url in (endpoint.start(), endpoint.endpoint_for("a b")):
        with urllib.request.urlopen(url + "/models", timeout=60) as reply:
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
    connection = http.client.HTTPConnection(host, timeout=60)
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
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("GET", "/v1/models")
    connection.getresponse().read()
    started = time.monotonic()
    endpoint.stop()
    endpoint.stop()
    assert time.monotonic() - started < 10  # the connection would hold it for 60 s
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url + "/models", timeout=2)
    connection.close()
    assert endpoint.start()
    endpoint.stop()
