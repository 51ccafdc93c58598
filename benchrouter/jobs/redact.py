"""Keep the values of secrets out of everything that we write."""

from __future__ import annotations

import json
import os
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

    def __bool__(self) -> bool:
        return bool(self._forms)

    def scrub(self, data: bytes) -> bytes:
        """Mask every secret in a complete piece of data."""
        if not any(form in data for form in self._forms):
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
        for form in self._forms:
            at = data.find(form)
            while at >= 0:
                found.append((at, at + len(form)))
                at = data.find(form, at + 1)
        return merged(found)

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


def _forms(value: str) -> set[bytes]:
    """Spell a value in the ways in which programs print it; each line of a longer text (a PEM key) too."""
    plain = {value, *(line for line in value.splitlines() if len(line) >= SHORTEST)}
    forms: set[str] = set()
    for text in plain:
        once = {_json(text, True), _json(text, False)}
        forms |= {text, *once, *(_json(form, True) for form in once), repr(text)[1:-1]}
        for escaped in (_quoted(text, ""), _quoted(text, "/"), quote_plus(text, errors="surrogateescape")):
            forms |= {escaped, _lower_escapes(escaped)}
    return {os.fsencode(form) for form in forms}


def _json(text: str, ascii_only: bool) -> str:
    return json.dumps(text, ensure_ascii=ascii_only)[1:-1]


def _quoted(text: str, safe: str) -> str:
    return quote(text, safe=safe, errors="surrogateescape")


def _lower_escapes(text: str) -> str:
    head, *rest = text.split("%")
    return head + "".join("%" + part[:2].lower() + part[2:] for part in rest)
