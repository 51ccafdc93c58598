"""From a conversation in OpenAI's form to what the model's chat template knows: roles and texts (pure)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchrouter.models.smollm2.grammar import CLOSING, OPENING

SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
"""What the model's own template puts first where a conversation has no system message."""

_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_TOOLS = """You can call functions. Functions:
{functions}

To call a function, answer with nothing but
{opening}{{"name": "function name", "arguments": {{"argument": "value"}}}}{closing}"""


@dataclass(frozen=True)
class Conversation:
    """Messages of `role` and `content`; how many calls they hold, and whether a tool's result is the last of them."""

    messages: tuple[dict[str, str], ...]
    calls: int
    after_tool: bool


def chat(messages: Sequence[Mapping[str, Any]], functions: Sequence[Mapping[str, Any]] = ()) -> Conversation:
    """Render a conversation; raise ValueError for a message that is none, or holds something else than text."""
    said = [_message(message, f"messages[{at}]") for at, message in enumerate(messages)]
    if said[0]["role"] != "system":
        said.insert(0, {"role": "system", "content": SYSTEM})
    if functions:
        listed = "\n".join(_json(_shown(function)) for function in functions)
        told = _TOOLS.format(functions=listed, opening=OPENING, closing=CLOSING)
        said[0] = {"role": "system", "content": f"{said[0]['content']}\n\n{told}"}
    calls = sum(len(message.get("tool_calls") or ()) for message in messages)
    return Conversation(tuple(said), calls, messages[-1].get("role") == "tool")


def _message(message: Mapping[str, Any], where: str) -> dict[str, str]:
    role = message.get("role")
    content = _text(message.get("content"), where)
    if role == "tool":
        return {"role": "user", "content": f"<tool_response>\n{content}\n</tool_response>"}
    if not isinstance(role, str) or role not in _ROLES:
        raise ValueError(f"`{where}.role` must be one of {', '.join(_ROLES)}, tool")
    calls = message.get("tool_calls")
    if calls and not isinstance(calls, list):
        raise ValueError(f"`{where}.tool_calls` must be a list of calls of functions")
    if calls:
        made = f"{OPENING}{', '.join(_call(call, where) for call in calls)}{CLOSING}"
        content = f"{content}\n{made}" if content else made
    return {"role": _ROLES[role], "content": content}


def _text(content: object, where: str) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise ValueError(f"`{where}.content` must be a text or a list of parts")
    return "\n".join(_parts(content, where))


def _parts(content: Iterable[object], where: str) -> Iterable[str]:
    for part in content:
        text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
        if not isinstance(text, str):
            raise ValueError(f"`{where}.content` holds a part that is no text; this model reads text only")
        yield text


def _call(call: object, where: str) -> str:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise ValueError(f"`{where}.tool_calls` must be a list of calls of functions")
    arguments = function.get("arguments")
    return f'{{"name": {_json(function["name"])}, "arguments": {arguments if isinstance(arguments, str) else "{}"}}}'


def _shown(function: Mapping[str, Any]) -> dict[str, Any]:
    return {name: function[name] for name in ("name", "description", "parameters") if function.get(name) is not None}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
