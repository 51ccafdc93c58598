"""Keep the values of secrets out of everything that we write."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from benchrouter.jobs.secret_forms import (
    SHORTEST,
    encoded_forms,
    folded,
    place_from_end,
    plain_forms,
    unfolding,
)
from benchrouter.store.texts import wellformed

MARK = b"[redacted]"
PLACEHOLDERS = frozenset({"EMPTY", "changeme", "placeholder", "not-needed", "sk-no-key-required"})
_LOOKED_UP = 4
_LINE_END = 32
_BREAKS_WAITED_FOR = 4096

Span = tuple[int, int]


class _Needles:
    """Searches data for some forms, whole or cut off behind two thirds, and for the beginning of one at its end."""

    def __init__(self, forms: Iterable[bytes]) -> None:
        self._forms = tuple(sorted(set(forms)))
        # Whoever prints a secret may be killed before its end: what has two thirds of it is masked.
        self._by_stem: dict[bytes, list[bytes]] = {}
        for form in self._forms:
            self._by_stem.setdefault(form[: max(SHORTEST, len(form) * 2 // 3)], []).append(form)
        self._by_signs: dict[tuple[bytes, ...], list[bytes]] = {}
        for stem in self._by_stem:
            self._by_signs.setdefault(tuple(sign for sign in (b"\\", b"%") if sign in stem), []).append(stem)
        self._all = b"\0".join(self._forms)
        self.longest = max(map(len, self._forms), default=0)
        self._heads = tuple({form[:length] for form in self._forms for length in range(1, _LOOKED_UP)})

    def __bool__(self) -> bool:
        return bool(self._forms)

    def any_in(self, data: bytes) -> bool:
        """Tell whether a secret is in the data."""
        return any(stem in data for stem in self._likely(data))

    def spans(self, data: bytes) -> list[Span]:
        """Find every secret, in no order; some may overlap."""
        found: list[Span] = []
        for stem in self._likely(data):
            at = data.find(stem)
            while at >= 0:
                longest = max(_shared(form, data, at, len(stem)) for form in self._by_stem[stem])
                found.append((at, at + longest))
                at = data.find(stem, at + 1)
        return found

    def _likely(self, data: bytes) -> Iterator[bytes]:
        """List the stems that the data may hold: most of them have an escape in them, most data has none."""
        for signs, stems in self._by_signs.items():
            if all(sign in data for sign in signs):
                yield from stems

    def begun(self, data: bytes) -> int:
        """Count the bytes at the end of the data with which a secret may have begun that goes on behind it."""
        end = data[-_LOOKED_UP:]
        if len(end) == _LOOKED_UP and end in self._all:
            longest = max(_begun(form, data, end) for form in self._forms)
            if longest:
                return longest
        if not data.endswith(self._heads):
            return 0
        return max(len(head) for head in self._heads if data.endswith(head))


class Redactor:
    """Mask the given values in bytes of any kind: plain, escaped for JSON or URLs, in base64, in hexadecimal.

    What is encoded may stand anywhere in what was encoded with it, and may be broken into lines.
    """

    def __init__(self, values: Iterable[str]) -> None:
        kept = {value for value in values if len(value) >= SHORTEST and value not in PLACEHOLDERS}
        self._plain = _Needles(form for value in kept for form in plain_forms(value))
        self._encoded = _Needles(form for value in kept for form in encoded_forms(value))
        # Line breaks within what is encoded count for nothing, but megabytes of them are no encoder's work.
        self._longest = 4 * max(self._plain.longest, self._encoded.longest) + _BREAKS_WAITED_FOR
        self._parsed = [parsed for value in kept if isinstance(parsed := _parsed(value), int | float | list | dict)]

    def __bool__(self) -> bool:
        return bool(self._plain)

    def scrub(self, data: bytes) -> bytes:
        """Mask every secret in a complete piece of data."""
        if not self.finds(data):
            return data
        stream = self.stream()
        return stream.feed(data) + stream.close()

    def finds(self, data: bytes) -> bool:
        """Tell whether a secret is in a complete piece of data."""
        return len(data) >= SHORTEST and (self._plain.any_in(data) or self._encoded.any_in(folded(data)))

    @property
    def knows_json(self) -> bool:
        """Tell whether a secret is a number, list or object, which may be spelled in other ways."""
        return bool(self._parsed)

    def is_secret(self, value: Any) -> bool:
        """Tell whether a number, list or object is what a secret says as JSON."""
        return any(value == secret and type(value) is not bool for secret in self._parsed)

    def scrub_message(self, text: str) -> str:
        """Mask every secret in a message for people, also one within which a quotation was cut, at a `…`."""
        *cut, last = text.split("…")
        return "…".join([*(self._scrub_cut(piece) for piece in cut), self.scrub_text(last)])

    def _scrub_cut(self, text: str) -> str:
        stream = self.stream()
        safe = stream.feed(_encoded(text))  # what may have begun a secret is left out
        return safe.decode("utf-8", "surrogateescape")

    def scrub_text(self, text: str) -> str:
        """Mask every secret in a message for people."""
        return self.scrub(_encoded(text)).decode("utf-8", "surrogateescape")

    def stream(self) -> Stream:
        """Start masking data that arrives in chunks, wherever their borders fall."""
        return Stream(self)

    def look(self, data: bytes) -> tuple[list[Span], int]:
        """Find every secret, overlapping ones merged, and where one may have begun that the data does not end.

        The latter is the data's length where there is none.
        """
        alike = folded(data)
        found = self._plain.spans(data)
        if encoded := self._encoded.spans(alike):
            place = unfolding(data)
            found += [(place(start), place(end - 1) + 1) for start, end in encoded]
        begins = len(data) - self._plain.begun(data)
        if not _ends_a_line_of_text(data):
            whole = alike.rstrip(b"\\")  # what follows may be a line break, half of which is here
            begun = self._encoded.begun(whole)
            begins = min(begins, place_from_end(data, begun + len(alike) - len(whole))) if begun else begins
        return merged(found), max(begins, len(data) - self._longest)


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
        return self._emit(data, *self._redactor.look(data))

    def close(self) -> bytes:
        """Give back the bytes that are still held."""
        return self._emit(self._held, self._redactor.look(self._held)[0], len(self._held))

    def _emit(self, data: bytes, spans: list[Span], cut: int) -> bytes:
        marked = self._inside
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


def _encoded(text: str) -> bytes:
    """Encode any text; bytes that were no UTF-8 stay what they are, other lone surrogates become U+FFFD."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return wellformed(text).encode()


def merged(spans: list[Span]) -> list[Span]:
    """Join spans that overlap; neighbours that only touch stay apart."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _parsed(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _shared(form: bytes, data: bytes, at: int, known: int) -> int:
    """Count how many bytes of a form the data has at a place, where it has the first `known`."""
    if data.startswith(form, at):
        return len(form)
    while data[at + known : at + known + 1] == form[known : known + 1]:
        known += 1
    return known


def _begun(form: bytes, data: bytes, end: bytes) -> int:
    """Count the bytes at the end of the data, the last of which are `end`, with which a form begins but not ends."""
    at = form.rfind(end, 0, len(form) - 1)
    while at >= 0:
        if data.endswith(form[: at + len(end)]):
            return at + len(end)
        at = form.rfind(end, 0, at + len(end) - 1)
    return 0


def _ends_a_line_of_text(data: bytes) -> bool:
    """Tell whether data ends with a line that no encoder has broken: it need not wait for the next one."""
    return data.endswith(b"\n") and b" " in data[-_LINE_END:]
