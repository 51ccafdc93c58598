"""In whose name a message speaks: doit's, or that of the `benchrouter` command, which has other words for the same."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TextIO


@dataclass(frozen=True)
class Voice:
    """Who speaks; `json_out` is where a program reads what became of its call, None for a person's."""

    program: str = "doit"
    json_out: TextIO | None = None


_DOIT = Voice()
_VOICE: ContextVar[Voice] = ContextVar("voice", default=_DOIT)

_VERBS = "run|plan|explain|graph|cachekey|bootstrap-image|models|image|clean"
_CALL = re.compile(rf"\bdoit (?=(?:{_VERBS})\b)")
_LIST = re.compile(r"(?<![\w/-])bench=(?=\S)")
_VALUE = re.compile(r"(?<![\w/-])(model|tasks|repeat|seed|refresh)=(?=\S)")
_FLAG = re.compile(r"(?<![\w/-])(results|models|stale|strict|full)=1\b")


def speak(voice: Voice) -> None:
    """Let this process speak so from now on."""
    _VOICE.set(voice)


def program() -> str:
    """Name the program that the person called."""
    return _VOICE.get().program


def complain(text: str) -> None:
    """Say on stderr what is wrong, and to a program that reads JSON as an object of kind `error`.

    Past the live view, which may be waiting for the very lock under which a stream complains that it is lost.
    """
    err = getattr(sys.stderr, "rich_proxied_file", sys.stderr)
    voice, said = _VOICE.get(), in_its_words(text)
    separator = "\n" if "\n" in said else " "
    print(f"{voice.program}:{separator}{said}", file=err)
    if voice.json_out is not None:
        document = {"version": 1, "kind": "error", "message": said}
        print(json.dumps(document), file=voice.json_out, flush=True)


def in_its_words(text: str) -> str:
    """Rewrite what a text says to type, where it was not written for this program."""
    if program() == "doit":
        return text
    text = text.replace("`doit list --all`", "`benchrouter graph --full`")
    text = text.replace("`doit help`", "`benchrouter --help`").replace("preflight=0", "--no-preflight")
    text = re.sub(r"`doit help ([\w-]+)`", r"`benchrouter \1 --help`", text)
    text = re.sub(r"(?<![\w/-])(model|tasks|refresh)= is", r"--\1 is", text).replace("bench= is", "BENCH is")
    text = _FLAG.sub(r"--\1", _VALUE.sub(r"--\1 ", _LIST.sub("", text)))
    return _CALL.sub("benchrouter ", text)


_PROSE = {
    "because", "conditions", "detail", "follows", "lines", "mend", "message", "missing", "notes", "problems",
    "reasons", "text", "unsupported", "warnings",
}  # fmt: skip
"""Fields of JSON that hold lines for people, and no data."""


def told(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Rewrite the lines for people in the fields of a JSON object, however deep they lie."""
    return {name: _told(value, prose=name in _PROSE) for name, value in fields.items()}


def _told(value: Any, *, prose: bool) -> Any:
    if isinstance(value, str):
        return in_its_words(value) if prose else value
    if isinstance(value, Mapping):
        return told(value)
    if isinstance(value, list | tuple):
        return [_told(each, prose=prose) for each in value]
    return value


def json_out() -> TextIO | None:
    """Give the stream that JSON goes to; None when a person reads."""
    return _VOICE.get().json_out
