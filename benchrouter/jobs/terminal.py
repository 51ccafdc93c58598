"""What a terminal would act on, and what of it may reach one (pure): names, output and messages are not ours."""

from __future__ import annotations

import re

from benchrouter.store.texts import STAND_IN

_STRING = r"[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles, links, clipboard: they end with BEL or ESC \
_ESCAPE = re.compile(rf"\x1b(?:\[[0-?]*[ -/]*[@-~]|{_STRING}|[ -/]*[0-~])")
# Beside C0 and C1: marks that turn the direction of text, and line breaks that only some count as such.
_ACTED_ON = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_COLOUR = re.compile(r"\x1b\[[0-9;:]*m")
_KEPT = re.compile(rf"({_COLOUR.pattern})|{_ESCAPE.pattern}")
_BEGUN = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)?")
_LONGEST = 4096
RESET = "\x1b[0m"


def harmless(text: str) -> str:
    """Leave of a text what any terminal only shows; line breaks and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return _SURROGATE.sub(STAND_IN, _ACTED_ON.sub("", _ESCAPE.sub("", text)))


def printable(line: str) -> str:
    """Make one line of what a task printed harmless, without anything that shows nothing."""
    plain = _ESCAPE.sub("", line)
    return "".join(char for char in plain if char.isprintable() or char == "\t").rstrip()


class Colours:
    """Leaves of the output of a task its colours and its returns to the start of a line, wherever pieces are cut."""

    def __init__(self) -> None:
        self._held = ""
        self.used = False

    def feed(self, text: str) -> str:
        """Take the next piece, give back what may be shown of it."""
        text = self._held + text
        begun = text.rfind("\x1b")
        if text.endswith("\x1b") and begun > 0:  # it may end the one before it
            begun = max(begun if _BEGUN.fullmatch(text, begun) else 0, text.rfind("\x1b", 0, begun))
        partial = begun >= 0 and len(text) - begun <= _LONGEST and _BEGUN.fullmatch(text, begun) is not None
        self._held = text[begun:] if partial else ""
        return "\r".join(map(self._line, text[: len(text) - len(self._held)].split("\r")))

    def _line(self, text: str) -> str:
        pieces: list[str] = []
        at = 0
        for found in _KEPT.finditer(text):
            pieces += [harmless(text[at : found.start()]), found[1] or ""]
            self.used = self.used or bool(found[1])
            at = found.end()
        return "".join([*pieces, harmless(text[at:])])
