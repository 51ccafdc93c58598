"""The form of answer files: what each line may hold, and which answers are wrong on purpose (pure).

One JSON object a line:

    {"task": "capitals", "item": "1", "question": "…", "answer": "Paris", "wrong": "Lyon", "system": "…", "seen": ["…"],
     "tools": "0123456789abcdef"}

`answer` and `wrong` are a text, or a list of assistant messages; a message is a text or
`{"content": "…", "tool_calls": [{"name": "…", "arguments": {…}}]}` with either or both. Lines of the same task and
item share one position, that of the item's first line.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple, NoReturn

from benchrouter.models.model import ModelError

UNKNOWN = "I do not know."
FIELDS = ("task", "item", "question", "answer", "wrong", "system", "seen", "tools")
_FIELDS = frozenset(FIELDS)
_TEXTS = ("task", "item", "question")
_MESSAGE = ("content", "tool_calls")
_CALL = ("name", "arguments")
_DIGEST = re.compile(r"[0-9a-f]{16}")


class Message(NamedTuple):
    """What the demo model says at one turn: a text, calls of tools (name, arguments as JSON), or both."""

    content: str | None
    calls: tuple[tuple[str, str], ...] = ()


Said = str | tuple[Message, ...]
"""A text, said at every turn, or one message for each turn."""


class Given(NamedTuple):
    """What must stand in a request beside the question, normalised: in its system messages, in what tools gave.

    `tools` is the digest of the tools that it must offer.
    """

    system: str = ""
    seen: frozenset[str] = frozenset()
    tools: str = ""


Book = dict[str, dict[Given, Said]]
"""What is said to each normalised question, by what else must be given."""


class _Misformed(Exception):
    """A line that does not follow the form."""


def normalise(text: str) -> str:
    """Make every run of white space one blank."""
    return " ".join(text.split())


def digest_of_tools(tools: object) -> str:
    """Digest the tools of a request: 16 hexadecimal digits of SHA-256 over JSON with sorted keys and no blanks."""
    return hashlib.sha256(_compact(tools).encode("utf-8", "replace")).hexdigest()[:16]


def is_wrong(position: int) -> bool:
    """Tell whether the item at this position of its task (from 1) is answered wrongly on purpose."""
    return position == 1 or (position >= 10 and position % 5 == 0)


def expected_wrong(items: int) -> int:
    """Count the wrong answers among the first `items` items of a task."""
    return min(items, max(1, items // 5))


def parse_lines(lines: Iterable[bytes], path: str) -> Book:
    """Read the lines of one file; raise ModelError with `path` and line for the first that does not follow the form."""
    reading = _Reading({}, {}, {})
    number = 0
    try:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                reading.add(line, number)
    except _Misformed as fault:
        raise ModelError(f"{path}:{number}: {fault}") from None
    same = next(((item, number) for (_, item), number in reading.same.items() if number), None)
    if same is not None:
        raise ModelError(f"{path}:{same[1]}: `answer` and `wrong` are the same on each line of item `{same[0]}`")
    return reading.book


class _Reading(NamedTuple):
    """A file while it is read: items by task, with their positions, and those without a wrong answer so far."""

    book: Book
    positions: dict[str, dict[str, int]]
    same: dict[tuple[str, str], int]

    def add(self, line: bytes, number: int) -> None:
        """Take in one line; `same` keeps the number of an item's first line, or 0 once it can be wrong."""
        entry = _entry(line)
        task, item = entry["task"], entry["item"]
        items = self.positions.setdefault(task, {})
        wrong_now = is_wrong(items.setdefault(item, len(items) + 1))
        answer = _said(entry["answer"], "answer") if "answer" in entry else _refuse("`answer` is missing")
        wrong = _said(entry["wrong"], "wrong") if "wrong" in entry else UNKNOWN
        if not _alike(answer, wrong):
            self.same[task, item] = 0
        else:
            self.same.setdefault((task, item), number)
        known = self.book.setdefault(normalise(entry["question"]), {})
        given = Given(normalise(entry.get("system", "")), _seen(entry.get("seen", [])), entry.get("tools", ""))
        if given in known:
            differ = "lines of a benchmark differ in `question`, `system`, `seen` or `tools`"
            _refuse(f"this question is there already; {differ}")
        known[given] = wrong if wrong_now else answer


def _entry(line: bytes) -> dict[str, Any]:
    try:
        entry = _decode(line.decode("utf-8-sig").strip())
    except (ValueError, RecursionError):
        _refuse("not a JSON object")
    if not isinstance(entry, dict):
        _refuse(f"found {type(entry).__name__}, expected a JSON object")
    for name in _TEXTS:
        if not isinstance(entry.get(name), str):
            _refuse(f"`{name}` must be a text")
    if entry.keys() - _FIELDS:
        _refuse(f"unknown field `{min(entry.keys() - _FIELDS)}`; known are {', '.join(FIELDS)}")
    if "system" in entry and not (isinstance(entry["system"], str) and entry["system"].strip()):
        _refuse("`system` must be a text that is not empty")
    if "tools" in entry and not (isinstance(entry["tools"], str) and _DIGEST.fullmatch(entry["tools"])):
        _refuse("`tools` must be the first 16 hexadecimal digits of a SHA-256")
    return entry


def _seen(value: object) -> frozenset[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) and text.strip() for text in texts):
        _refuse("`seen` must be a text that is not empty, or a list of such texts")
    return frozenset(normalise(text) for text in texts)


def _said(value: object, name: str) -> Said:
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not value:
        _refuse(f"`{name}` must be a text, or a list of at least one assistant message")
    return tuple([_message(message, f"{name}[{index}]") for index, message in enumerate(value)])


def _message(value: object, where: str) -> Message:
    if isinstance(value, str):
        return Message(value)
    if not isinstance(value, dict) or not value or value.keys() - _MESSAGE:
        _refuse(f"`{where}` must be a text, or an object with {' or '.join(f'`{key}`' for key in _MESSAGE)}")
    content, calls = value.get("content"), value.get("tool_calls", [])
    if content is not None and not isinstance(content, str):
        _refuse(f"`{where}.content` must be a text")
    if not isinstance(calls, list) or (content is None and not calls):
        _refuse(f"`{where}` needs a text in `content`, or `tool_calls` with at least one call")
    return Message(content, tuple([_call(call, f"{where}.tool_calls[{index}]") for index, call in enumerate(calls)]))


def _call(value: object, where: str) -> tuple[str, str]:
    if not isinstance(value, dict) or value.keys() != set(_CALL):
        _refuse(f"`{where}` must be an object with `name` and `arguments`")
    if not isinstance(value["name"], str) or not value["name"]:
        _refuse(f"`{where}.name` must be a text that is not empty")
    if not isinstance(value["arguments"], dict):
        _refuse(f"`{where}.arguments` must be an object")
    return value["name"], _encode(value["arguments"])


def _alike(answer: Said, wrong: Said) -> bool:
    if isinstance(answer, str) and isinstance(wrong, str):
        return answer == wrong or normalise(answer) == normalise(wrong)
    return answer == wrong


def _refuse(message: str) -> NoReturn:
    raise _Misformed(message)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_decode = json.JSONDecoder(parse_constant=_no_constant).decode
_encode = json.JSONEncoder(ensure_ascii=False).encode
_compact = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
