"""Any text as one word of a shell, or as part of a comment."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+", re.ASCII)


def quote(text: str) -> str:
    """Quote one word for a POSIX shell, whatever it holds."""
    return text if _PLAIN.fullmatch(text) else "'" + text.replace("'", "'\\''") + "'"


def one_line(text: str) -> str:
    """Put a name into a comment, whatever it holds."""
    return "".join(char if char.isprintable() else "?" for char in text)
