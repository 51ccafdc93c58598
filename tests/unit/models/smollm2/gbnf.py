"""A reader of grammars for the tests: does a text follow one? As much of GBNF as we write."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_PIECE = re.compile(r'\s*("(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|[A-Za-z][\w-]*|\{\d+(?:,\d+)?\}|[()|?*])')
Match = Callable[[str, int], Iterator[int]]


def follows(grammar: str, text: str) -> bool:
    """Tell whether all of a text follows the grammar."""
    rules = dict(line.split(" ::= ", 1) for line in grammar.splitlines())
    return any(end == len(text) for end in _Rules(rules).match("root", text, 0))


class _Rules:
    def __init__(self, rules: dict[str, str]) -> None:
        self._rules = rules
        self._read: dict[str, Match] = {}

    def match(self, name: str, text: str, at: int) -> Iterator[int]:
        if name not in self._read:
            pieces = _PIECE.findall(self._rules[name])
            assert "".join("".join(pieces).split()) == "".join(self._rules[name].split()), name
            matcher, rest = self._choice(pieces)
            assert not rest, (name, rest)
            self._read[name] = matcher
        return self._read[name](text, at)

    def _choice(self, pieces: list[str]) -> tuple[Match, list[str]]:
        options = []
        while True:
            option, pieces = self._sequence(pieces)
            options.append(option)
            if not pieces or pieces[0] != "|":
                break
            pieces = pieces[1:]
        return lambda text, at: (end for option in options for end in option(text, at)), pieces

    def _sequence(self, pieces: list[str]) -> tuple[Match, list[str]]:
        parts: list[Match] = []
        while pieces and pieces[0] not in ("|", ")"):
            part, pieces = self._item(pieces)
            parts.append(part)
        return lambda text, at: _in_row(parts, text, at), pieces

    def _item(self, pieces: list[str]) -> tuple[Match, list[str]]:
        first, rest = pieces[0], pieces[1:]
        if first == "(":
            item, rest = self._choice(rest)
            assert rest[0] == ")"
            rest = rest[1:]
        else:
            item = self._terminal(first)
        if rest and (rest[0] in "?*" or rest[0].startswith("{")):
            counts = {"?": "0,1", "*": "0,10000"}.get(rest[0], rest[0].strip("{}")).split(",")
            least, most = int(counts[0]), int(counts[-1])
            return lambda text, at: _repeated(item, least, most, text, at), rest[1:]
        return item, rest

    def _terminal(self, piece: str) -> Match:
        if piece.startswith('"'):
            literal = piece[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape")
            return lambda text, at: iter([at + len(literal)] if text.startswith(literal, at) else [])
        if piece.startswith("["):
            some = re.compile(piece, re.S)
            return lambda text, at: iter([at + 1] if at < len(text) and some.match(text[at]) else [])
        return lambda text, at: self.match(piece, text, at)


def _in_row(parts: list[Match], text: str, at: int) -> Iterator[int]:
    if not parts:
        yield at
        return
    for end in parts[0](text, at):
        yield from _in_row(parts[1:], text, end)


def _repeated(item: Match, least: int, most: int, text: str, at: int) -> Iterator[int]:
    if most > 0:
        for end in item(text, at):
            if end > at:
                yield from _repeated(item, max(least - 1, 0), most - 1, text, end)
    if least <= 0:
        yield at
