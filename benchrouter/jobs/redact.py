"""Keep the values of secrets out of everything that we write."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

MARK = b"[redacted]"
SHORTEST = 8
PLACEHOLDERS = frozenset({"EMPTY", "changeme", "placeholder", "not-needed", "sk-no-key-required"})

Span = tuple[int, int]


class Redactor:
    """Mask the given values, in plain, JSON-escaped and URL-escaped form, in bytes of any kind."""

    def __init__(self, values: Iterable[str]) -> None:
        kept = {value for value in values if len(value) >= SHORTEST and value not in PLACEHOLDERS}
        self._forms = tuple(sorted({form for value in kept for form in _forms(value)}))
        # Whoever prints a secret may be killed before its end: what has two thirds of it is masked.
        self._by_stem: dict[bytes, list[bytes]] = {}
        for form in self._forms:
            self._by_stem.setdefault(form[: max(SHORTEST, len(form) * 2 // 3)], []).append(form)

    def __bool__(self) -> bool:
        return bool(self._forms)

    def scrub(self, data: bytes) -> bytes:
        """Mask every secret in a complete piece of data."""
        if not any(stem in data for stem in self._likely(data)):
            return data
        stream = self.stream()
        return stream.feed(data) + stream.close()

    def scrub_text(self, text: str) -> str:
        """Mask every secret in a message for people."""
        data = text.encode("utf-8", "surrogateescape")
        return self.scrub(data).decode("utf-8", "surrogateescape")

    def stream(self) -> Stream:
        """Start masking data that arrives in chunks, wherever their borders fall."""
        return Stream(self)

    def spans(self, data: bytes) -> list[Span]:
        """Find every secret, overlapping ones merged, so that no rest of one stays behind another."""
        found: list[Span] = []
        for stem in self._likely(data):
            at = data.find(stem)
            while at >= 0:
                longest = max(_shared(form, data, at, len(stem)) for form in self._by_stem[stem])
                found.append((at, at + longest))
                at = data.find(stem, at + 1)
        return merged(found)

    def _likely(self, data: bytes) -> list[bytes]:
        """List the stems that the data may hold: most of them have an escape in them, most data has none."""
        absent = [sign for sign in (b"\\", b"%") if sign not in data]
        return [stem for stem in self._by_stem if not any(sign in stem for sign in absent)]

    def open_at(self, data: bytes) -> int:
        """Find where a secret may have begun that the data does not end; the data's length if nowhere."""
        earliest = len(data)
        for form in self._forms:
            at = data.find(form[:1], max(0, len(data) - len(form) + 1))
            while 0 <= at < earliest:
                if form.startswith(data[at:]):
                    earliest = at
                    break
                at = data.find(form[:1], at + 1)
        return earliest


class Stream:
    """Mask one stream: bytes that may be the start of a secret are held back until the next ones decide."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = b""
        self._inside = 0  # leading bytes of _held that belong to a secret whose mark is already out

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes, give back what is safe to write."""
        if not self._redactor:
            return data
        data = self._held + data
        return self._emit(data, self._redactor.open_at(data))

    def close(self) -> bytes:
        """Give back the bytes that are still held."""
        return self._emit(self._held, len(self._held))

    def _emit(self, data: bytes, cut: int) -> bytes:
        marked = self._inside
        spans = self._redactor.spans(data)
        if marked:
            spans = merged([(0, marked), *spans])
        out: list[bytes] = []
        position = 0
        for start, end in spans:
            if start >= cut:
                break
            out.append(data[position:start])
            if start > 0 or not marked:
                out.append(MARK)
            position = end
        out.append(data[position:cut])
        self._held, self._inside = data[cut:], max(0, position - cut)
        return b"".join(out)


def merged(spans: list[Span]) -> list[Span]:
    """Join spans that overlap; neighbours that only touch stay apart."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _shared(form: bytes, data: bytes, at: int, known: int) -> int:
    """Count how many bytes of a form the data has at a place, where it has the first `known`."""
    if data.startswith(form, at):
        return len(form)
    while data[at + known : at + known + 1] == form[known : known + 1]:
        known += 1
    return known


def _forms(value: str) -> set[bytes]:
    """Spell a value in the ways in which programs print it; each line of a longer text (a PEM key) too."""
    plain = {value, *(line for line in value.splitlines() if len(line) >= SHORTEST)}
    forms: set[str] = set()
    for text in plain:
        forms |= {text, repr(text)[1:-1], *_json_forms(text)}
        for escaped in _url_forms(text):
            forms |= {escaped, _lower_escapes(escaped)}
    return {os.fsencode(form) for form in forms}


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
