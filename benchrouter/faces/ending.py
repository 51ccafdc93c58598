"""How every command ends: with its exit status, and for a mistake with one message instead of a traceback."""

from __future__ import annotations

import re
import sys
from itertools import takewhile
from typing import Any

import typer

from benchrouter.make.commands.guard import INTERRUPTED, NOT_ALL_COMPLETED, OK, USAGE, guarded
from benchrouter.make.interruption import outlast_readers, output_is_lost
from benchrouter.make.voice import Voice, complain, speak

_PLAINER = {
    "Input should be a valid integer, unable to parse string as an integer": "expected a whole number",
    r"('.+') is not a valid integer": r"found \1, expected a whole number",
    "Value error, ": "",
}


def called(app: typer.Typer, words: list[str]) -> int:
    """Call the command that the words name; return the exit status."""
    outlast_readers()
    json = "--json" in takewhile(lambda word: word != "--", words)
    speak(Voice("benchrouter", sys.stdout if json else None))
    if json:
        sys.stdout = sys.stderr  # whatever else is printed does not get between the JSON
    status = guarded(lambda: _answered(app, words))
    return NOT_ALL_COMPLETED if status == OK and output_is_lost() else status


def _answered(app: typer.Typer, words: list[str]) -> int:
    try:
        status = app(words, prog_name="benchrouter", standalone_mode=False)
        return status if isinstance(status, int) else OK
    except typer.Abort:
        return INTERRUPTED
    except Exception as error:
        return _told(error)


def _plainly(text: str) -> str:
    """Say what a library says of a value as we do."""
    for theirs, ours in _PLAINER.items():
        text = re.sub(theirs, ours, text)
    return text.rstrip(".")


def _told(error: Any) -> int:
    """Say what is wrong with the command line, or that the engine failed; raise anything else again."""
    if type(error).__name__ == "NoArgsIsHelpError":
        print(error.ctx.get_help(), file=sys.stderr)
        return USAGE
    if hasattr(error, "format_message"):
        where = getattr(getattr(error, "ctx", None), "command_path", "benchrouter")
        verbs = where.removeprefix("benchrouter").strip()
        text = _plainly(error.format_message())
        text = text if text.endswith("?") else text + ";"
        complain(f"{verbs + ': ' if verbs else ''}{text[:1].lower()}{text[1:]} `{where} --help` lists what there is")
        return USAGE
    from benchrouter.engine.errors import EngineError

    if isinstance(error, EngineError):
        complain(str(error))
        return NOT_ALL_COMPLETED
    raise error
