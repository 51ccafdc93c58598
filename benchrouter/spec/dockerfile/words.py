"""Variables in one word of a Dockerfile: quotes, escapes, `$X`, `${X}`, `${X:-y}`, `${X:+y}`."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#]")


def expand(word: str, variables: Mapping[str, str], escape: str = "\\") -> str:
    """Substitute variables and take quotes away; what is not set is empty; ValueError if malformed."""
    text, position = _until(word, 0, "", variables, escape)
    if position != len(word):
        raise ValueError(f"cannot read `{word}`")
    return text


def names_in(word: str) -> frozenset[str]:
    """Name the variables that a word refers to."""
    return frozenset(re.findall(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)", word))


def _until(word: str, at: int, stop: str, variables: Mapping[str, str], escape: str) -> tuple[str, int]:
    out: list[str] = []
    quote = ""
    while at < len(word):
        char = word[at]
        if char == stop and not quote:
            return "".join(out), at
        if quote == "'":
            if char == "'":
                quote = ""
            else:
                out.append(char)
            at += 1
        elif char == escape and at + 1 < len(word):
            follows = word[at + 1]
            out.append(follows if not quote or follows in ('"', "$", escape) else char + follows)
            at += 2
        elif char == "$":
            value, at = _variable(word, at + 1, variables, escape)
            out.append(value)
        elif char == '"' or (char == "'" and not quote):
            quote = "" if quote else char
            at += 1
        else:
            out.append(char)
            at += 1
    if stop or quote:
        raise ValueError(f"`{word}` has no closing {'brace' if stop else 'quote'}")
    return "".join(out), at


def _variable(word: str, at: int, variables: Mapping[str, str], escape: str) -> tuple[str, int]:
    """Read a variable after its `$`: the value and the position behind it."""
    braced = word.startswith("{", at)
    match = _NAME.match(word, at + braced)
    if not match:
        if braced:
            raise ValueError(f"cannot read `{word}`")
        return "$", at
    value = variables.get(match[0])
    at = match.end()
    if not braced:
        return value or "", at
    if word.startswith("}", at):
        return value or "", at + 1
    colon = word.startswith(":", at)
    operator = word[at + colon : at + colon + 1]
    if not operator:
        raise ValueError(f"`{word}` has no closing brace")
    if operator not in ("-", "+", "?"):
        raise ValueError(f"`{word}`: the form `${{{match[0]}{operator}...}}` is not supported here")
    other, at = _until(word, at + colon + 1, "}", variables, escape)
    given = bool(value) if colon else value is not None
    if operator == "?" and not given:
        raise ValueError(f"`{match[0]}` must be set: {other}")
    if operator == "+":
        return (other if given else ""), at + 1
    return (value or "" if given else other), at + 1
