"""One chat completion as it is asked for: checked, every parameter honoured or refused (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchrouter.models.local_api import RequestError, read_request
from benchrouter.models.smollm2.grammar import MOST_CALLS, calls_grammar, schema_grammar
from benchrouter.models.smollm2.pins import MAX_TOKENS
from benchrouter.models.smollm2.prompt import chat

_HARMLESS = """metadata modalities prompt_cache_key reasoning_effort safety_identifier service_tier store
    user verbosity"""
_SUPPORTED = """model messages max_tokens max_completion_tokens temperature top_p top_k min_p seed stop n stream
    stream_options tools tool_choice parallel_tool_calls response_format frequency_penalty presence_penalty"""
_KNOWN = frozenset(f"{_HARMLESS} {_SUPPORTED}".split())
"""Any other parameter is refused, unless it is off: whoever sends it means it to change the answer."""

_OFF = {"logprobs": (False,), "top_logprobs": (0,), "logit_bias": ({},), "echo": (False,), "repetition_penalty": (1,)}
_MOST_SEED = 2**32
_LEAST_TEMPERATURE = 0.01


@dataclass(frozen=True)
class Ask:
    """A request in the words of the worker; `calls` says that the answer is calls of tools, not text.

    `seed` is None when the answer is meant to be another one each time. `calls_before` counts the calls of the
    conversation so far.
    """

    model: str
    messages: tuple[dict[str, str], ...]
    max_tokens: int
    sampling: Mapping[str, float]
    penalties: Mapping[str, float] | None
    seed: int | None
    stop: tuple[str, ...]
    grammar: str | None
    calls: bool
    calls_before: int
    stream: bool
    with_usage: bool


def parse(body: bytes) -> Ask:
    """Read the body of a chat completion; raise RequestError for what is wrong or not supported."""
    fields = {name: value for name, value in read_request(body).items() if value is not None}
    _refuse_unknown(fields)
    tools = _tools(fields)
    choice = _choice(fields, tools)
    try:
        conversation = chat(fields["messages"], tools if choice else ())
    except ValueError as error:
        raise RequestError(str(error)) from None
    # By itself this model never calls a tool. With tools, its answer to a user is a call; to a tool's result, text.
    calls = bool(choice) and (choice != "auto" or not conversation.after_tool)
    options = fields.get("stream_options")
    return Ask(
        model=fields["model"],
        messages=conversation.messages,
        max_tokens=_whole(fields, "max_completion_tokens", 1) or _whole(fields, "max_tokens", 1) or MAX_TOKENS,
        sampling=_sampling(fields),
        penalties=_penalties(fields),
        seed=_seed(fields),
        stop=_stop(fields),
        grammar=_grammar(fields, tools, choice) if calls else _format(fields),
        calls=calls,
        calls_before=conversation.calls,
        stream=_flag(fields, "stream"),
        with_usage=isinstance(options, dict) and bool(options.get("include_usage")),
    )


def _refuse_unknown(fields: Mapping[str, Any]) -> None:
    for name, value in fields.items():
        if name in _OFF and value not in _OFF[name]:
            raise RequestError(f"`{name}` is not supported by this model", code="unsupported_parameter")
        if name not in _KNOWN and name not in _OFF:
            raise RequestError(f"unknown parameter `{name}`", code="unknown_parameter")
    if fields.get("n", 1) != 1:
        raise RequestError("`n` must be 1; ask again for another answer", code="unsupported_parameter")


def _number(fields: Mapping[str, Any], name: str, least: float, most: float, default: float) -> float:
    value = fields.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise RequestError(f"`{name}` must be a number from {least:g} to {most:g}")
    return value


def _whole(fields: Mapping[str, Any], name: str, least: int) -> int | None:
    value = fields.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
        raise RequestError(f"`{name}` must be a whole number of at least {least}")
    return value


def _flag(fields: Mapping[str, Any], name: str, default: bool = False) -> bool:
    value = fields.get(name, default)
    if not isinstance(value, bool):
        raise RequestError(f"`{name}` must be true or false")
    return value


def _sampling(fields: Mapping[str, Any]) -> dict[str, float]:
    # Without a temperature the likeliest word is taken, so that the same question always gets the same answer. So it is
    # with 0.001, which tools send that do not dare to send 0.
    temperature = _number(fields, "temperature", 0, 2, 0)
    return {
        "temperature": temperature if temperature >= _LEAST_TEMPERATURE else 0,
        "topP": _number(fields, "top_p", 0, 1, 1),
        "topK": _whole(fields, "top_k", -1) or 0,
        "minP": _number(fields, "min_p", 0, 1, 0),
    }


def _penalties(fields: Mapping[str, Any]) -> dict[str, float] | None:
    given = {
        "frequency": _number(fields, "frequency_penalty", -2, 2, 0),
        "presence": _number(fields, "presence_penalty", -2, 2, 0),
    }
    return given if any(given.values()) else None


def _seed(fields: Mapping[str, Any]) -> int | None:
    seed = fields.get("seed")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise RequestError("`seed` must be a whole number")
    return None if seed is None else seed % _MOST_SEED


def _stop(fields: Mapping[str, Any]) -> tuple[str, ...]:
    stop = fields.get("stop", [])
    texts = [stop] if isinstance(stop, str) else stop
    if not isinstance(texts, list) or not all(isinstance(text, str) and text for text in texts):
        raise RequestError("`stop` must be a text or a list of texts, none of them empty")
    return tuple(texts)


def _tools(fields: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    tools = fields.get("tools", [])
    if not isinstance(tools, list):
        raise RequestError("`tools` must be a list")
    functions = []
    for at, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, dict) and tool.get("type") == "function" else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str) or not function["name"]:
            raise RequestError(f"`tools[{at}]` must be a function with a name")
        functions.append(function)
    return tuple(functions)


def _choice(fields: Mapping[str, Any], tools: tuple[dict[str, Any], ...]) -> str:
    """Read `tool_choice`: "" for none, auto, required, or the name of a function after a colon."""
    choice = fields.get("tool_choice", "auto" if tools else "none")
    if choice == "none" or (choice == "auto" and not tools):
        return ""
    if not tools:
        raise RequestError("`tool_choice` needs `tools`")
    if choice in ("auto", "required"):
        return str(choice)
    function = choice.get("function") if isinstance(choice, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if name not in [tool["name"] for tool in tools]:
        raise RequestError("`tool_choice` must be none, auto, required, or name one of `tools`")
    return f":{name}"


def _grammar(fields: Mapping[str, Any], tools: tuple[dict[str, Any], ...], choice: str) -> str:
    most = MOST_CALLS if _flag(fields, "parallel_tool_calls", True) else 1
    return calls_grammar([tool for tool in tools if choice in ("auto", "required", f":{tool['name']}")], most)


def _format(fields: Mapping[str, Any]) -> str | None:
    given = fields.get("response_format", {"type": "text"})
    kind = given.get("type") if isinstance(given, dict) else None
    if kind == "text":
        return None
    if kind == "json_object":
        return schema_grammar({"type": "object"})
    inner = given.get("json_schema") if kind == "json_schema" else None
    if not isinstance(inner, dict) or not isinstance(inner.get("schema"), dict):
        raise RequestError("`response_format` must be of type text, json_object, or json_schema with a schema")
    return schema_grammar(inner["schema"])
