"""What a command gives: text for a person, or one JSON object alone on stdout (docs/json.md)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from benchrouter.make.voice import in_its_words, json_out, told

VERSION = 1
"""Version of the JSON forms, raised when a field changes its meaning or goes."""

_LOGS = ("log", "logs")
"""What tasks printed is passed on as it is."""

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]

_MOST = 20


def emit(kind: str, **fields: Any) -> None:
    """Print a JSON object of this kind, with the version of its form; no field may be called so."""
    if "version" in fields:
        raise ValueError(f"{kind}: a field may not be called `version`")
    said = fields if kind in _LOGS else told(fields)
    document = {"version": VERSION, "kind": kind, **said}
    print(json.dumps(document, allow_nan=False), file=json_out() or sys.stdout, flush=True)


def warn(texts: Iterable[str]) -> None:
    """Print warnings on stderr, each once, and of very many the first."""
    first = list(dict.fromkeys(texts))
    shown = first if len(first) <= _MOST else [*first[:_MOST], f"and {len(first) - _MOST} more like these"]
    for text in shown:
        print(f"benchrouter: warning: {in_its_words(text)}", file=sys.stderr)


def say(lines: Iterable[object]) -> None:
    """Print lines of text."""
    for line in lines:
        print(in_its_words(str(line)))
