"""What the demo model sends back: completions in OpenAI's form, whole and in chunks (pure)."""

from __future__ import annotations

import zlib
from typing import Any

from benchrouter.models.answer_lines import digest_of_tools
from benchrouter.models.answers import Answers, Message

_PIECE = 40


def complete(request: dict[str, Any], answers: Answers, benchmark: str | None) -> dict[str, Any]:
    """Answer a request that has been checked; always alike for the same request."""
    messages = request["messages"]
    last = max((index for index, message in enumerate(messages) if message.get("role") == "user"), default=-1)
    question = text_of(messages[last].get("content")) if last >= 0 else ""
    system = "\n".join(text_of(m.get("content")) for m in messages if m.get("role") in ("system", "developer"))
    turn = sum(message.get("role") == "assistant" for message in messages[last + 1 :])
    seen = "\n".join(text_of(m.get("content")) for m in messages[last + 1 :] if m.get("role") == "tool")
    tools = digest_of_tools(request["tools"]) if request.get("tools") else ""
    reply = answers.reply(question, benchmark, system=system, seen=seen, tools=tools, turn=turn)
    count = request.get("n") or 1
    finish = "tool_calls" if reply.calls else "stop"
    choice = {"message": _message(reply, _calls_before(messages)), "finish_reason": finish}
    # Words stand in for tokens: what matters is that the same request always gives the same numbers.
    asked = sum(len(text_of(message.get("content")).split()) for message in messages)
    said = count * sum(len(text.split()) for text in (reply.content or "", *(" ".join(call) for call in reply.calls)))
    # A turn after the first is an answer of its own, to the same question.
    number = zlib.crc32(question.encode("utf-8", "replace") + b"\0" * turn)
    return {
        "id": f"chatcmpl-{number:08x}",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": [{"index": index, **choice} for index in range(count)],
        "usage": {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said},
    }


def chunks(completion: dict[str, Any], request: dict[str, Any]) -> list[dict[str, Any]]:
    """Cut a completion into what is streamed; the usage comes last, where the request asks for it."""
    head = {**completion, "object": "chat.completion.chunk"}
    usage = head.pop("usage")
    options = request.get("stream_options")
    with_usage = isinstance(options, dict) and bool(options.get("include_usage"))
    extra = {"usage": None} if with_usage else {}
    made = []
    for choice in completion["choices"]:
        ends = [(delta, None) for delta in _deltas(choice["message"])] + [({}, choice["finish_reason"])]
        for delta, finish in ends:
            part = {"index": choice["index"], "delta": delta, "finish_reason": finish}
            made.append({**head, "choices": [part], **extra})
    if with_usage:
        made.append({**head, "choices": [], "usage": usage})
    return made


def text_of(content: object) -> str:
    """Give the text of a message's content, which may come in parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return ""


def _calls_before(messages: list[dict[str, Any]]) -> int:
    """Count the tool calls of a conversation so far: the next one's number, so that each has an id of its own."""
    made = [message.get("tool_calls") for message in messages if message.get("role") == "assistant"]
    return sum(len(calls) for calls in made if isinstance(calls, list))


def _message(reply: Message, before: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.content}
    if reply.calls:
        message["tool_calls"] = [
            {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for number, (name, arguments) in enumerate(reply.calls, start=before)
        ]
    return message


def _deltas(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Cut a message: the role, the text in pieces, then for each call its head and its arguments in pieces."""
    text = message["content"]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": None if text is None else ""}]
    deltas += [{"content": piece} for piece in _pieces(text or "")]
    for index, call in enumerate(message.get("tool_calls", [])):
        function = call["function"]
        first = {**call, "index": index, "function": {"name": function["name"], "arguments": ""}}
        deltas.append({"tool_calls": [first]})
        for piece in _pieces(function["arguments"]):
            deltas.append({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    return deltas


def _pieces(text: str) -> list[str]:
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
