"""What may be asked: every parameter is honoured or refused, and tools decide what kind of answer it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchrouter.models.local_api import RequestError
from benchrouter.models.smollm2.request import Ask, parse

TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
OTHER = {"type": "function", "function": {"name": "g"}}
USER = {"role": "user", "content": "hi"}
CALLED = {"role": "assistant", "tool_calls": [{"id": "call_0", "function": {"name": "f", "arguments": "{}"}}]}
GIVEN = {"role": "tool", "tool_call_id": "call_0", "content": "5"}


def ask(*messages: dict[str, Any], **more: Any) -> Ask:
    return parse(json.dumps({"model": "smollm2", "messages": messages or [USER], **more}).encode())


def test_without_a_temperature_the_same_question_gets_the_same_answer() -> None:
    plain = ask()
    assert plain.sampling == {"temperature": 0, "topP": 1, "topK": 0, "minP": 0}
    assert (plain.max_tokens, plain.stop, plain.seed, plain.penalties, plain.grammar) == (512, (), None, None, None)
    assert not plain.stream and not plain.calls


@pytest.mark.parametrize(("given", "used"), [(0, 0), (0.001, 0), (0.0099, 0), (0.01, 0.01), (2, 2)])
def test_a_temperature_of_almost_nothing_is_none(given: float, used: float) -> None:
    assert ask(temperature=given).sampling["temperature"] == used


def test_parameters_arrive() -> None:
    full = ask(
        temperature=0.7, top_p=0.9, top_k=5, min_p=0.1, seed=-1, stop=["a", "b"], max_completion_tokens=9, n=1,
        frequency_penalty=0.5, stream=True, stream_options={"include_usage": True}, user="me", logprobs=False,
    )  # fmt: skip
    assert full.sampling == {"temperature": 0.7, "topP": 0.9, "topK": 5, "minP": 0.1}
    assert (full.seed, full.stop, full.max_tokens) == (2**32 - 1, ("a", "b"), 9)
    assert full.penalties == {"frequency": 0.5, "presence": 0}
    assert full.stream and full.with_usage
    assert ask(stop="one", max_tokens=3, temperature=None).stop == ("one",)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"n": 2}, "`n` must be 1"),
        ({"logprobs": True}, "`logprobs` is not supported"),
        ({"logit_bias": {"1": 5}}, "`logit_bias` is not supported"),
        ({"beam_width": 4}, "unknown parameter `beam_width`"),
        ({"temperature": "0"}, "`temperature` must be a number from 0 to 2"),
        ({"temperature": True}, "`temperature` must be a number"),
        ({"top_p": 1.5}, "`top_p` must be a number from 0 to 1"),
        ({"max_tokens": 0}, "`max_tokens` must be a whole number of at least 1"),
        ({"max_tokens": 1.5}, "`max_tokens` must be a whole number"),
        ({"seed": 1.5}, "`seed` must be a whole number"),
        ({"stop": [""]}, "`stop` must be"),
        ({"stop": 5}, "`stop` must be"),
        ({"stream": "yes"}, "`stream` must be true or false"),
        ({"tools": {}}, "`tools` must be a list"),
        ({"tools": [{"type": "retrieval"}]}, "`tools[0]` must be a function"),
        ({"tool_choice": "required"}, "`tool_choice` needs `tools`"),
        ({"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "h"}}}, "name one of `tools`"),
        ({"response_format": {"type": "xml"}}, "`response_format` must be"),
        ({"response_format": {"type": "json_schema"}}, "`response_format` must be"),
    ],
)
def test_what_cannot_be_honoured_is_refused(more: dict[str, Any], said: str) -> None:
    with pytest.raises(RequestError) as refused:
        ask(**more)
    assert said in refused.value.message and refused.value.status == 400


def test_a_user_is_answered_by_a_call_and_a_result_by_text() -> None:
    """By itself this model never calls anything."""
    asked = ask(tools=[TOOL])
    assert asked.calls and asked.grammar and '"f' in asked.grammar.replace("\\", "")
    after = ask(USER, CALLED, GIVEN, tools=[TOOL])
    assert not after.calls and after.grammar is None and after.calls_before == 1
    assert ask(USER, CALLED, GIVEN, USER, tools=[TOOL]).calls


def test_tool_choice_decides() -> None:
    assert not ask(tools=[TOOL], tool_choice="none").calls
    assert "f" not in ask(tools=[TOOL], tool_choice="none").messages[0]["content"].split()
    assert ask(USER, CALLED, GIVEN, tools=[TOOL], tool_choice="required").calls
    named = ask(tools=[TOOL, OTHER], tool_choice={"type": "function", "function": {"name": "g"}})
    assert named.calls and named.grammar
    assert '\\"g\\"' in named.grammar and '\\"f\\"' not in named.grammar
    assert '{0,7}' in str(ask(tools=[TOOL]).grammar)
    assert '", " call' not in str(ask(tools=[TOOL], parallel_tool_calls=False).grammar)


def test_formats_of_answers() -> None:
    assert ask(response_format={"type": "text"}).grammar is None
    assert "root ::= " in str(ask(response_format={"type": "json_object"}).grammar)
    shaped = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"enum": ["yes", "no"]}}}
    assert "yes" in str(ask(response_format=shaped).grammar)
