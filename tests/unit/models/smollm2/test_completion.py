"""Answers in OpenAI's form, whole and in chunks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchrouter.models.smollm2.completion import (
    Said,
    completion,
    first_chunk,
    ident,
    last_chunks,
    text_chunk,
)
from benchrouter.models.smollm2.request import Ask, parse

TOOL = {"type": "function", "function": {"name": "f"}}
CALL = '{"name": "f", "arguments": {"a": "é", "b": [1]}}'


def ask(**more: Any) -> Ask:
    return parse(json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}], **more}).encode())


def test_a_text() -> None:
    made = completion(ask(), Said("Paris.", "stop", 12, 3), "chatcmpl-1")
    assert made["choices"][0]["message"] == {"role": "assistant", "content": "Paris."}
    assert made["choices"][0]["finish_reason"] == "stop"
    assert made["usage"] == {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    assert (made["object"], made["model"], made["created"]) == ("chat.completion", "m", 0)


def test_the_same_request_has_the_same_name() -> None:
    assert ident(b"a") == ident(b"a") != ident(b"b")


def test_calls_are_numbered_on_from_those_before() -> None:
    before = [{"role": "user", "content": "hi"}, {"role": "assistant", "tool_calls": [TOOL | {"id": "x"}]}]
    request = {"model": "m", "messages": [*before, {"role": "user", "content": "more"}], "tools": [TOOL]}
    said = Said(f"<tool_call>[{CALL}, {CALL}]</tool_call>", "stop", 1, 2)
    made = completion(parse(json.dumps(request).encode()), said, "x")
    message = made["choices"][0]["message"]
    assert message["content"] is None and made["choices"][0]["finish_reason"] == "tool_calls"
    assert [call["id"] for call in message["tool_calls"]] == ["call_1", "call_2"]
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {"a": "é", "b": [1]}


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (f"<tool_call>[{CALL}, {CALL[:20]}", 1),
        (f"<tool_call>[{CALL}, ", 1),
        (f"<tool_call>[{CALL}", 1),
        ("<tool_call>[" + CALL[:20], 0),
        ("<tool_", 0),
        ("", 0),
    ],
)
def test_of_calls_that_were_cut_off_the_complete_ones_count(text: str, calls: int) -> None:
    made = completion(ask(tools=[TOOL]), Said(text, "length", 1, 2), "x")["choices"][0]
    assert len(made["message"].get("tool_calls", [])) == calls
    assert made["finish_reason"] == "length"
    assert made["message"]["content"] == (None if calls else text)


def test_a_text_that_looks_like_a_call_is_a_text_where_no_tools_are() -> None:
    made = completion(ask(), Said(f"<tool_call>[{CALL}]</tool_call>", "stop", 1, 2), "x")
    assert "tool_calls" not in made["choices"][0]["message"]


def test_chunks_give_the_same_as_the_whole() -> None:
    asked = ask(stream=True, stream_options={"include_usage": True})
    said = Said("Paris.", "stop", 12, 3)
    chunks = [first_chunk(asked, "x"), text_chunk(asked, "x", "Par"), text_chunk(asked, "x", "is.")]
    chunks += last_chunks(asked, said, "x")
    assert "".join(c["choices"][0]["delta"].get("content") or "" for c in chunks if c["choices"]) == "Paris."
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    assert [chunk["usage"] for chunk in chunks] == [None] * 4 + [usage]
    assert chunks[3]["choices"][0]["finish_reason"] == "stop"
    assert "usage" not in first_chunk(ask(stream=True), "x")


def test_calls_come_in_a_stream_too() -> None:
    asked = ask(stream=True, tools=[TOOL])
    calls, end = last_chunks(asked, Said(f"<tool_call>[{CALL}]</tool_call>", "stop", 1, 2), "x")
    assert calls["choices"][0]["delta"]["tool_calls"][0]["index"] == 0
    assert end["choices"][0]["finish_reason"] == "tool_calls"
    cut, end = last_chunks(asked, Said("<tool_call>[", "length", 1, 2), "x")
    assert cut["choices"][0]["delta"] == {"content": "<tool_call>["}
    assert end["choices"][0]["finish_reason"] == "length"
