"""What JSON Schema can say of values that people write in several ways; editors mark by it what the loader refuses.

A text form is never narrower than what the loader reads; bounds that hang on a unit are left to the loader.
"""

from __future__ import annotations

from typing import Any

from benchrouter.spec.names import LONGEST_NAME
from benchrouter.spec.values import LONGEST, MOST_REPEATS

Form = dict[str, Any]

_SOME = "(?=[^1-9]*[1-9])"  # more than 0
_DECIMAL = r"[0-9]+(\.[0-9]+)?"
_MOST = 1 << 53


def text(pattern: str, **more: Any) -> Form:
    """Form a text that is not empty."""
    return {"type": "string", "minLength": 1, "pattern": pattern, **more}


def _either(number: Form, pattern: str) -> Form:
    return {"anyOf": [{"type": "number", **number}, text(rf"^\s*{pattern}\s*$")]}


def whole(least: int, most: int = _MOST) -> Form:
    """Form a whole number, or its digits in quotes."""
    digits = r"[+-]?[0-9]+" if least < 0 else rf"{_SOME if least else ''}\+?[0-9]+"
    if most == MOST_REPEATS:
        digits = rf"{_SOME}\+?0*([0-9]{{1,4}}|{MOST_REPEATS})"
    number = {"type": "integer", "minimum": least, "maximum": most}
    return {"anyOf": [number, text(rf"^\s*{digits}(\.0+)?\s*$")]}


POSITIVE = _either({"exclusiveMinimum": 0}, rf"{_SOME}\+?{_DECIMAL}")
_SPAN = rf"(\+?{_DECIMAL}|({_DECIMAL}(ms|us|ns|d|h|m|s))+)"
SECONDS = _either({"exclusiveMinimum": 0, "maximum": LONGEST}, _SOME + _SPAN)
DURATION = _either({"minimum": 0, "maximum": LONGEST}, _SPAN)
_UNIT = r"\s*([kmgtKMGT]([iI]?[bB])?|[bB])?"
SIZE = _either({"minimum": 1, "maximum": 1 << 60}, rf"{_SOME}{_DECIMAL}{_UNIT}")
TEXT = text(r"\S")
NAME = text(r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$", maxLength=LONGEST_NAME)
VARIABLE = text(r"^[A-Za-z_][A-Za-z0-9_]*$")
IMAGE = text(r"^[A-Za-z0-9][A-Za-z0-9._:/-]*(@[A-Za-z0-9]+:[0-9a-fA-F]+)?$")
URL = text(r"^https?://[^/\s]+")
RANGE = text(r"^[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+/([0-9]|1[0-9]|2[0-4]|[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+)$")
ENTRY = text(r"^[^/\s]+(/[^/\s]+)?$")
INSIDE = text(r"^(?!\s*$)(?!/)(?!(.*/)?\.\.(/|$))")
RESULT_FILE = text(r"^(?!\s*$)(?!\.$)(?!/(?!app/results/))(?!(.*/)?\.\.(/|$))")
IN_CONTAINER = text(r"^/(?!(.*/)?\.\.(/|$))[A-Za-z0-9._@+=/-]*$")


def at_least(least: Form, number: int) -> Form:
    """Give a form whose number has another lower bound."""
    first, *others = least["anyOf"]
    return {"anyOf": [{**first, "minimum": number}, *others]}


def needs(key: str, other: str) -> Form:
    """Form a mapping in which a key is wrong without another one; a key without a value is not there."""
    given = {name: {"properties": {name: {"not": {"type": "null"}}}, "required": [name]} for name in (key, other)}
    return {"if": given[key], "then": given[other]}


def one_or_more(form: Form) -> Form:
    """Form a list, for which a single one may stand."""
    return {"anyOf": [{"type": "array", "items": form}, form]}
