"""Instructions of a Dockerfile: continuations, comments, directives and heredocs; every word knows its place.

Follows the reference parser of BuildKit (frontend/dockerfile/parser); positions are offsets into the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_DIRECTIVE = re.compile(r"#\s*([A-Za-z][A-Za-z0-9]*)\s*=\s*(.+?)\s*$")
_DIRECTIVES = frozenset({"escape", "syntax", "check"})
_HEREDOC = re.compile(r"\d*<<(-?)([^<]+)")
_WITH_HEREDOC = frozenset({"RUN", "COPY", "ADD"})


class DockerfileError(ValueError):
    """A Dockerfile that no builder would take; `line` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Word:
    """One word as written, continuations taken out; `start` and `end` are offsets into the text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Instruction:
    """One instruction: `keyword` in capitals, `flags` are its `--x=y` words; `end` follows its last line."""

    line: int
    keyword: Word
    flags: tuple[Word, ...]
    words: tuple[Word, ...]
    heredocs: tuple[str, ...]
    end: int

    @property
    def name(self) -> str:
        """Give the keyword in capitals."""
        return self.keyword.text.upper()


@dataclass(frozen=True)
class Source:
    """A Dockerfile cut into instructions; `directives` holds (value, line) of `syntax`, `escape`, `check`."""

    text: str
    escape: str
    directives: dict[str, tuple[str, int]]
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True)
class _Line:
    number: int
    start: int
    text: str
    end: int


def decode(data: bytes) -> str:
    """Turn a Dockerfile's bytes into text that `encode` turns back into the same bytes, newlines included."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Turn text from `decode` back into bytes."""
    return text.encode("utf-8", "surrogateescape")


def lex(text: str) -> Source:
    """Cut a Dockerfile into instructions; read it without newline translation, so that offsets are true."""
    lines = list(_lines(text))
    directives = _directives(lines)
    escape = directives.get("escape", ("\\", 0))[0]
    if escape not in ("\\", "`"):
        raise DockerfileError(directives["escape"][1], f"escape must be `\\` or a backtick, found {escape!r}")
    return Source(text, escape, directives, tuple(_instructions(lines, escape)))


def _lines(text: str) -> Iterator[_Line]:
    start = 1 if text.startswith("\ufeff") else 0
    number = 1
    while start < len(text):
        newline = text.find("\n", start)
        end = len(text) if newline < 0 else newline + 1
        yield _Line(number, start, text[start:end].rstrip("\r\n"), end)
        start, number = end, number + 1


def _directives(lines: list[_Line]) -> dict[str, tuple[str, int]]:
    found: dict[str, tuple[str, int]] = {}
    for line in lines:
        match = _DIRECTIVE.match(line.text.strip())
        name = match[1].lower() if match else ""
        if not match or name not in _DIRECTIVES or name in found:
            break
        found[name] = (match[2], line.number)
    return found


def _instructions(lines: list[_Line], escape: str) -> Iterator[Instruction]:
    more = re.compile(rf"(?:(?<!{re.escape(escape)})|^){re.escape(escape)}[ \t]*$")
    index = 0
    while index < len(lines):
        first = lines[index]
        index += 1
        if not first.text.strip() or first.text.lstrip().startswith("#"):
            continue
        pieces: list[tuple[str, int]] = []
        last = first
        line: _Line | None = first
        while line is not None:
            match = more.search(line.text)
            pieces.append((line.text[: match.start()] if match else line.text, line.start))
            last, line = line, None
            while match and index < len(lines) and line is None:
                line, index = lines[index], index + 1
                if not line.text.strip() or line.text.lstrip().startswith("#"):
                    last, line = line, None
        words = _words(pieces, escape)
        if not words:  # a line that is continued, and nothing follows
            continue
        heredocs, index = _heredocs(words, lines, index)
        yield _instruction(first.number, words, heredocs, lines[index - 1].end if heredocs else last.end)


def _instruction(line: int, words: list[Word], heredocs: tuple[str, ...], end: int) -> Instruction:
    flags: list[Word] = []
    rest = words[1:]
    while rest and rest[0].text.startswith("--") and rest[0].text != "--":
        flags.append(rest.pop(0))
    return Instruction(line, words[0], tuple(flags), tuple(rest), heredocs, end)


def _words(pieces: list[tuple[str, int]], escape: str) -> list[Word]:
    """Split at white space outside quotes; a word may run on over a continuation."""
    words: list[Word] = []
    text, start, end, quote = "", -1, 0, ""
    escaped = False
    for piece, offset in pieces:
        for position, char in enumerate(piece, offset):
            if char.isspace() and not quote and not escaped:
                if start >= 0:
                    words.append(Word(text, start, end))
                text, start = "", -1
                continue
            if escaped:
                escaped = False
            elif char == escape and quote != "'":
                escaped = True
            elif quote:
                quote = "" if char == quote else quote
            elif char in "'\"":
                quote = char
            start = position if start < 0 else start
            text, end = text + char, position + 1
    if start >= 0:
        words.append(Word(text, start, end))
    return words


def _heredocs(words: list[Word], lines: list[_Line], index: int) -> tuple[tuple[str, ...], int]:
    """Find the heredocs that a line opens, and the line after the last one's end."""
    name = words[0].text.upper()
    if name == "ONBUILD" and len(words) > 1:
        name = words[1].text.upper()
    if name not in _WITH_HEREDOC:
        return (), index
    names: list[str] = []
    for word in words[1:]:
        match = _HEREDOC.fullmatch(word.text)
        if not match:
            continue
        delimiter = match[2].replace("'", "").replace('"', "")
        names.append(delimiter)
        while True:
            if index >= len(lines):
                raise DockerfileError(lines[-1].number, f"the heredoc `{delimiter}` has no end")
            line = lines[index].text
            index += 1
            if (line.lstrip("\t") if match[1] else line) == delimiter:
                break
    return tuple(names), index
