"""The forms in which a secret's value may appear in what programs print (pure)."""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Callable
from urllib.parse import quote, quote_plus

SHORTEST = 8
# Of four characters for three bytes, so many at the front hold bits of what stands before the secret.
_MIXED = (0, 2, 3)


def plain_forms(value: str) -> set[bytes]:
    """Spell a value in the ways in which programs print it; each line of a longer text (a PEM key) too."""
    forms: set[str] = set()
    for text in _texts(value):
        forms |= {text, repr(text)[1:-1], *_json_forms(text)}
        for escaped in _url_forms(text):
            forms |= {escaped, _lower_escapes(escaped)}
        for encoded in _base64(os.fsencode(text)):
            bare = encoded.rstrip("=")
            escapes = {bare.replace("/", "\\/"), _quoted(bare, "")} - {bare}
            forms |= escapes | {_lower_escapes(each) for each in escapes}
    return {os.fsencode(form) for form in forms}


def encoded_forms(value: str) -> set[bytes]:
    """Encode a value, as it is and in JSON, as base64 and as hexadecimal; folded as `folded` folds data."""
    texts = {form for text in _texts(value) for form in (text, _json(text, True), _json(text, False))}
    raw = {os.fsencode(text) for text in texts}
    return {folded(form.encode()) for text in raw for form in (*_base64(text), text.hex())}


_FOLDS = bytes.maketrans(b"-_ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"+/abcdefghijklmnopqrstuvwxyz")
# JSON in JSON has several backslashes. A run of them, which may be long, is looked at from its start alone.
_BREAKS = re.compile(rb"(?<!\\)\\++[nr]")
_KEPT = re.compile(rb"((?:[^\r\n\\]++|\\++(?![nr]))++)|\\++[nr]")


def folded(data: bytes) -> bytes:
    """Make encodings look alike: one alphabet, one case, no line breaks, those of JSON texts included."""
    if b"\\" in data:
        data = _BREAKS.sub(b"", data)
    return data.translate(_FOLDS, b"\r\n")


def unfolding(data: bytes) -> Callable[[int], int]:
    """Give a function from places in folded data to places in the data."""
    starts, places, at = [0], [0], 0
    for kept in _KEPT.finditer(data):
        if kept[1]:
            starts.append(at)
            places.append(kept.start())
            at += len(kept[1])

    def place(index: int) -> int:
        stretch = bisect_right(starts, index) - 1
        return places[stretch] + index - starts[stretch]

    return place


def place_from_end(data: bytes, count: int) -> int:
    """Find where in the data the last `count` bytes of what folding makes of it begin; some more must precede them."""
    start = max(0, len(data) - 2 * count - 8)  # mostly enough, and data may be long
    if len(folded(data[start:])) <= count + 2:
        start = 0
    end = data[start:]
    return start + unfolding(end)(len(folded(end)) - count)


def _texts(value: str) -> set[str]:
    return {value, *(line for line in value.splitlines() if len(line) >= SHORTEST)}


def _base64(data: bytes) -> list[str]:
    """Encode at each place that the data may have in what is encoded, without what depends on what precedes it."""
    return [b64encode(bytes(before) + data).decode()[mixed:] for before, mixed in enumerate(_MIXED)]


def _json_forms(text: str) -> set[str]:
    """Escape a text as JSON writers do, also JSON in JSON; some escape more than they have to."""
    once = {_json(text, True), _json(text, False)}
    for more in ("/", "<>&", "<>&='"):  # PHP, Go, Gson
        escapes = {ord(char): "\\/" if char == "/" else f"\\u{ord(char):04x}" for char in more}
        once |= {form.translate(escapes) for form in tuple(once)}
    units = text.encode("utf-16-be", "surrogatepass")
    once.add("".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2)))
    once |= {re.sub(r"\\u[0-9a-f]{4}", lambda found: "\\u" + found[0][2:].upper(), form) for form in tuple(once)}
    return once | {_json(form, True) for form in once}


def _url_forms(text: str) -> set[str]:
    """Escape a text for URLs as libraries do: they differ in what they leave as it is; escaped twice, too."""
    once = {_quoted(text, safe) for safe in ("", "/", "!'()*", ";,/?:@&=+$!*'()#")}
    once |= {quote_plus(text, safe, errors="surrogateescape") for safe in ("", "*")}
    once |= {form.replace("~", "%7E") for form in tuple(once)}
    once.add("".join(f"%{byte:02X}" for byte in os.fsencode(text)))
    return once | {_quoted(form, "") for form in once}


def _json(text: str, ascii_only: bool) -> str:
    return json.dumps(text, ensure_ascii=ascii_only)[1:-1]


def _quoted(text: str, safe: str) -> str:
    return quote(text, safe=safe, errors="surrogateescape")


def _lower_escapes(text: str) -> str:
    head, *rest = text.split("%")
    return head + "".join("%" + part[:2].lower() + part[2:] for part in rest)
