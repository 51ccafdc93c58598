"""Answers of the demo model: what it says to which request, from a file at each benchmark's root.

`answers.jsonl`, or the same compressed as `answers.jsonl.gz`, lies outside every task directory; `answer_lines` has
its form. Looked up by the last user message; runs of white space count as one blank. Each task's first item, its
tenth, and every fifth after that is answered wrongly: of the first n items of a task that is floor(n/5), but at
least 1, for every n. The order of items is that of their first lines.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchrouter.models.answer_lines import (
    UNKNOWN,
    Book,
    Given,
    Message,
    Said,
    expected_wrong,
    is_wrong,
    normalise,
    parse_lines,
)
from benchrouter.models.model import ModelError
from benchrouter.spec.inputs import is_there, read_input

if TYPE_CHECKING:
    from benchrouter.keys.cache import StatCache

__all__ = ["UNKNOWN", "Answers", "Message", "demo_identity", "expected_wrong", "is_wrong", "load_answers"]

FILES = ("answers.jsonl", "answers.jsonl.gz")
RULE = 2
"""Version of the rule above; part of the demo model's identity."""

_NO_FILE = "none"
_LARGEST = 1 << 30


@dataclass(frozen=True)
class Answers:
    """What the demo model says: a book for each benchmark, in the order in which they are tried."""

    books: Mapping[str, Book] = field(default_factory=dict)

    def reply(
        self,
        question: str,
        benchmark: str | None = None,
        *,
        system: str = "",
        seen: str = "",
        tools: str = "",
        turn: int = 0,
    ) -> Message:
        """Answer a question, from one benchmark's book or (None) from the first that knows it.

        `system` is the text of the request's system messages, `seen` that of the tool messages after the question,
        `tools` the digest of the tools that it offers, `turn` how many assistant messages follow the question. What no
        book knows, and turns beyond a list's end, are answered with UNKNOWN.
        """
        known, told, given = normalise(question), normalise(system), normalise(seen)
        books = self.books.values() if benchmark is None else [self.books.get(benchmark, {})]
        found = (_pick(book[known], told, given, tools) for book in books if known in book)
        said = next((one for one in found if one is not None), UNKNOWN)
        if isinstance(said, str):
            return Message(said)
        return said[turn] if turn < len(said) else Message(UNKNOWN)


def _pick(lines: Mapping[Given, Said], told: str, given: str, offered: str) -> Said | None:
    """Choose the line whose needs are met: with `tools` before without, then most `seen`, then longest `system`."""
    fitting = [
        need
        for need in lines
        if need.tools in ("", offered) and need.system in told and all(text in given for text in need.seen)
    ]
    if not fitting:
        return None
    return lines[max(fitting, key=lambda need: (bool(need.tools), len(need.seen), len(need.system)))]


def load_answers(roots: Mapping[str, Path], digests: Mapping[str, str] | None = None) -> Answers:
    """Read the answer files of benchmarks (name to root); one without a file is answered with UNKNOWN only.

    Raises ModelError with file:line for a file that does not follow the form, and for one that is not what
    `digests` (by name, as in its identity) says any more.
    """
    return Answers({name: _book(roots[name], (digests or {}).get(name)) for name in sorted(roots)})


def demo_identity(root: Path, cache: StatCache) -> dict[str, Any]:
    """Digest a benchmark's answer file: the demo model's part of a job's key.

    The digest is remembered in the cache. Raises ModelError for a file that cannot be read.
    """
    from benchrouter.keys.files import file_digest

    path = _file(root)
    try:
        digest = file_digest(path, cache) if path is not None else None
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror})") from None
    return {"name": "demo", "rule": RULE, "answers": digest or _NO_FILE}


def _file(root: Path) -> Path | None:
    there = [root / name for name in FILES if is_there(root / name)]
    if len(there) > 1:
        raise ModelError(f"{root}: {' and '.join(FILES)} are both there; keep one of them")
    for path in there:
        if not path.is_file():
            raise ModelError(f"{path}: cannot be read (not a regular file)")
    return there[0] if there else None


def _book(root: Path, expected: str | None) -> Book:
    from benchrouter.keys.canonical import digest_bytes

    path = _file(root)
    try:
        content = read_input(path, _LARGEST) if path is not None else b""
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror})") from None
    if expected is not None and expected != (digest_bytes(content) if path is not None else _NO_FILE):
        raise ModelError(f"{path or root / FILES[0]}: changed since this command began; run again")
    return parse_lines(_lines(content, path), str(path)) if path is not None else {}


def _lines(content: bytes, path: Path) -> Iterable[bytes]:
    if path.suffix != ".gz":
        yield from io.BytesIO(content)
        return
    try:
        yield from gzip.GzipFile(fileobj=io.BytesIO(content))
    except (OSError, EOFError, zlib.error) as error:
        raise ModelError(f"{path}: not what gzip writes, or cut off ({error})") from None
