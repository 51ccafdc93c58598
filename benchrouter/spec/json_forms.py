"""What JSON Schema can say of values that people write in several ways; editors mark by it what the loader refuses.

A text form is never narrower than what the loader reads.
"""

from __future__ import annotations

from typing import Any

from benchrouter.spec import json_patterns as patterns
from benchrouter.spec.names import LONGEST_NAME, RESERVED
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


def size(least: int = 1) -> Form:
    """Form a size in bytes, or a text with a unit."""
    numbers = {"type": "number", "minimum": least, "maximum": 1 << 60}
    return {"anyOf": [numbers, text(rf"^{_SOME}{patterns.outside(least)}\s*{_DECIMAL}{_UNIT}\s*$")]}


SIZE = size()
TEXT = text(r"\S")
NAME = text(rf"^{patterns.no_name_of(RESERVED)}[A-Za-z0-9_][A-Za-z0-9_.-]*$", maxLength=LONGEST_NAME)
VARIABLE = text(r"^[A-Za-z_][A-Za-z0-9_]*$")
PASSED = text(r"^(?!BENCHROUTER_)[A-Za-z_][A-Za-z0-9_]*$")
ASSIGNMENT = text("=")
IMAGE = text(r"^[A-Za-z0-9][A-Za-z0-9._:/-]*(@[A-Za-z0-9]+:[0-9a-fA-F]+)?$")
URL = text(rf"^{patterns.WITHOUT_PASSWORD}https?://[^/\s]+")
PLACE = text(rf"^{patterns.WITHOUT_PASSWORD}\s*\S")
_ADDRESS = rf"{patterns.OCTET}(\.{patterns.OCTET}){{3}}"
RANGE = text(rf"^({patterns.networks(24)}|{_ADDRESS}/{_ADDRESS})$")
ENTRY = text(r"^[^/\s]+(/[^/\s]+)?$")
INSIDE = text(r"^(?!\s*$)(?!/)(?!(.*/)?\.\.(/|$))")
RESULT_FILE = text(r"^(?!\s*$)(?!\.$)(?!/(?!app/results/))(?!(.*/)?\.\.(/|$))")
IN_CONTAINER = text(r"^/(?!(.*/)?\.\.(/|$))[A-Za-z0-9._@+=/-]*$")


def needs(key: str, other: str) -> Form:
    """Form a mapping in which a key is wrong without another one; a key without a value is not there."""
    return {"if": _given(key), "then": _given(other)}


def one_of(*keys: str) -> Form:
    """Form a mapping that has exactly one of some keys."""
    return {"oneOf": [_given(key) for key in keys]}


def without(*keys: str) -> Form:
    """Form a mapping in which some keys say nothing, if they are there."""
    return {"patternProperties": {f"^({'|'.join(keys)})$": {"enum": [None, False, 0, "", [], {}]}}}


def _given(key: str) -> Form:
    return {"properties": {key: {"not": {"type": "null"}}}, "required": [key]}


def one_or_more(form: Form) -> Form:
    """Form a list, for which a single one may stand."""
    return {"anyOf": [{"type": "array", "items": form}, form]}


def by_name(form: Form) -> Form:
    """Form the keys of a mapping, beside its values."""
    return {"propertyNames": form}
