"""Conversations as the model's own template has them."""

from __future__ import annotations

from typing import Any

import pytest

from benchrouter.models.smollm2.prompt import SYSTEM, chat

FUNCTION = {"name": "f", "description": "Does it.", "parameters": {"type": "object"}, "strict": True}


def said(*messages: dict[str, Any], **more: Any) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in chat(messages, **more).messages]


def test_the_templates_own_system_message_comes_first_where_there_is_none() -> None:
    assert said({"role": "user", "content": "hi"}) == [("system", SYSTEM), ("user", "hi")]
    assert said({"role": "developer", "content": "be brief"}, {"role": "user", "content": "hi"}) == [
        ("system", "be brief"),
        ("user", "hi"),
    ]


def test_texts_come_in_parts_too() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert said({"role": "system", "content": parts}) == [("system", "a\nb")]


def test_functions_stand_in_the_system_message() -> None:
    (_, system), _ = said({"role": "user", "content": "hi"}, functions=[FUNCTION])
    assert system.startswith(SYSTEM)
    assert '{"name": "f", "description": "Does it.", "parameters": {"type": "object"}}' in system
    assert '<tool_call>[{"name": "function name", "arguments": {"argument": "value"}}]</tool_call>' in system


def test_calls_and_their_results_are_texts_of_the_conversation() -> None:
    call = {"id": "call_0", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    conversation = chat(
        [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": None, "tool_calls": [call, call]},
            {"role": "tool", "tool_call_id": "call_0", "content": "5"},
        ]
    )
    made = '{"name": "f", "arguments": {"a": 1}}'
    assert conversation.messages[2]["content"] == f"<tool_call>[{made}, {made}]</tool_call>"
    assert conversation.messages[3] == {"role": "user", "content": "<tool_response>\n5\n</tool_response>"}
    assert (conversation.calls, conversation.after_tool) == (2, True)


@pytest.mark.parametrize(
    ("message", "message_fault"),
    [
        ({"role": "critic", "content": "x"}, "`messages[0].role` must be one of"),
        ({"role": "user", "content": 5}, "`messages[0].content` must be a text"),
        ({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}, "reads text only"),
        ({"role": "assistant", "tool_calls": {"a": 1}}, "`messages[0].tool_calls` must be a list"),
        ({"role": "assistant", "tool_calls": [{"id": "x"}]}, "`messages[0].tool_calls` must be a list of calls"),
    ],
)
def test_what_is_no_text_is_refused(message: dict[str, Any], message_fault: str) -> None:
    with pytest.raises(ValueError) as refused:
        chat([message])
    assert message_fault in str(refused.value)
