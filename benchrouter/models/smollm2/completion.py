"""What a client is told: completions, chunks of a stream and errors in OpenAI's form (pure)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from benchrouter.models.smollm2.grammar import CLOSING, OPENING
from benchrouter.models.smollm2.request import Ask


@dataclass(frozen=True)
class Said:
    """What the model said in all: its text, why it ended (stop or length), and tokens read and written."""

    text: str
    finish: str
    prompt_tokens: int
    completion_tokens: int


def ident(body: bytes) -> str:
    """Name a completion after its request: the same request gets the same answer, to the last byte."""
    return f"chatcmpl-{sha256(body).hexdigest()[:24]}"


def completion(ask: Ask, said: Said, name: str) -> dict[str, Any]:
    """Make the whole answer."""
    message, finish = _message(ask, said)
    return {
        **_head(ask, name, "chat.completion"),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": _usage(said),
    }


def first_chunk(ask: Ask, name: str) -> dict[str, Any]:
    """Make the chunk that begins a stream."""
    return _chunk(ask, name, {"role": "assistant", "content": None if ask.calls else ""})


def text_chunk(ask: Ask, name: str, text: str) -> dict[str, Any]:
    """Make a chunk that goes on with the text."""
    return _chunk(ask, name, {"content": text})


def last_chunks(ask: Ask, said: Said, name: str) -> list[dict[str, Any]]:
    """Make the chunks that end a stream: calls of tools, the reason, and usage where it was asked for."""
    message, finish = _message(ask, said)
    calls = [{"index": at, **call} for at, call in enumerate(message.get("tool_calls", ()))]
    chunks = [_chunk(ask, name, {"tool_calls": calls})] if calls else []
    if ask.calls and not calls:
        chunks.append(_chunk(ask, name, {"content": message["content"]}))
    chunks.append(_chunk(ask, name, {}, finish))
    if ask.with_usage:
        chunks.append({**_head(ask, name, "chat.completion.chunk"), "choices": [], "usage": _usage(said)})
    return chunks


def _head(ask: Ask, name: str, kind: str) -> dict[str, Any]:
    return {"id": name, "object": kind, "created": 0, "model": ask.model}


def _chunk(ask: Ask, name: str, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    usage = {"usage": None} if ask.with_usage else {}
    return {**_head(ask, name, "chat.completion.chunk"), "choices": [choice], **usage}


def _usage(said: Said) -> dict[str, int]:
    read, written = said.prompt_tokens, said.completion_tokens
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _message(ask: Ask, said: Said) -> tuple[dict[str, Any], str]:
    calls = _calls(said.text, ask.calls_before) if ask.calls else []
    if not calls:
        return {"role": "assistant", "content": said.text}, said.finish
    finish = "tool_calls" if said.finish == "stop" else said.finish
    return {"role": "assistant", "content": None, "tool_calls": calls}, finish


def _calls(text: str, before: int) -> list[dict[str, Any]]:
    """Read the calls that are complete: a stop text or the limit may have cut the last one off."""
    decoder = json.JSONDecoder()
    calls: list[dict[str, Any]] = []
    at = len(OPENING)
    while text.startswith(OPENING) and at < len(text) and not text.startswith(CLOSING, at):
        try:
            call, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        calls.append(_as_call(call, f"call_{before + len(calls)}"))
        at = end + len(", ") if text.startswith(", ", end) else end
    return calls


def _as_call(call: Mapping[str, Any], name: str) -> dict[str, Any]:
    arguments = json.dumps(call["arguments"], ensure_ascii=False)
    return {"id": name, "type": "function", "function": {"name": call["name"], "arguments": arguments}}
