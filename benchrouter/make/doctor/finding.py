"""One thing that was looked at, and how serious what was found is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any


class Level(Enum):
    """How a finding is: (word, mark before it, its colour on a terminal)."""

    OK = ("ok", "ok", "32")
    LACKING = ("lacking", "--", "33")
    BROKEN = ("broken", "!!", "1;31")

    def __init__(self, word: str, mark: str, colour: str) -> None:
        self.word = word
        self.mark = mark
        self.colour = colour


@dataclass(frozen=True)
class Finding:
    """What was found; `follows` and `mend` are empty where all is well. BROKEN: no job can run."""

    what: str
    level: Level
    found: str
    follows: str = ""
    mend: str = ""

    def to_json(self) -> dict[str, Any]:
        """Give the form of docs/json.md."""
        return {**vars(self), "level": self.level.word}


def ok(what: str, found: str) -> Finding:
    """Say that all is well."""
    return Finding(what, Level.OK, found)


def lacking(what: str, found: str, follows: str, mend: str) -> Finding:
    """Say that something does not work here, or not well, beside which other jobs run."""
    return Finding(what, Level.LACKING, found, follows, mend)


def broken(what: str, found: str, follows: str, mend: str) -> Finding:
    """Say that no job can run before this is mended."""
    return Finding(what, Level.BROKEN, found, follows, mend)
