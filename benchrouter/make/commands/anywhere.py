"""doit's own command names, wherever they are typed: in a workspace, below one, or in somebody else's project.

doit reads its configuration from the current directory alone, and so knows nothing of us below a workspace. What it
reads everywhere are the entry points of installed packages (pyproject.toml), and those lead here.
"""

from __future__ import annotations

import os
import re
import sys
from importlib import import_module
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

from doit.cmd_base import Command

from benchrouter.make.interruption import outlast_readers
from benchrouter.make.workspace_files import sections
from benchrouter.spec.inputs import read_input
from benchrouter.store.problems import StoreError
from benchrouter.store.workspace import Workspace

_DOITS = {
    "run": "doit.cmd_run:Run",
    "clean": "doit.cmd_clean:Clean",
    "list": "doit.cmd_list:List",
    "info": "doit.cmd_info:Info",
    "help": "doit.cmd_help:Help",
}
_OURS = {
    "run": "benchrouter.make.commands.run:Run",
    "clean": "benchrouter.make.commands.clean:Clean",
    "list": "benchrouter.make.commands.listing:List",
    "info": "benchrouter.make.commands.listing:Info",
    "help": "benchrouter.make.commands.listing:Help",
}
_LOADER = "benchrouter.make.loader"  # doit has loaded it where its configuration, beside dodo.py, names us
_OPTION = ("-f", "--file")
_FILE = re.compile(r"(?:-f|--file=)(.+)")
_DIRECTORY = re.compile(r"-d|--dir(=|$)")
_IMPORTS_US = re.compile(rb"^\s*(from|import)\s+benchrouter\b", re.MULTILINE)


class FromElsewhere(Command):  # type: ignore[misc]
    """Goes to the workspace that is meant and gives the whole command line to doit again."""

    def parse_execute(self, in_args: list[str]) -> int:
        """Become what the command line means in the workspace."""
        from doit.doit_cmd import DoitMain

        words = sys.argv[1:]
        file = _named_file(words) or _nearest() or Path("dodo.py")
        # Paths on the command line are meant from where the person stands.
        os.environ["BENCHROUTER_CWD"] = str(Path.cwd())
        os.environ.pop("DOIT_FILE", None)
        os.chdir(file.parent)
        named = [] if file.name == "dodo.py" else ["-f", file.name]
        status: int = DoitMain(extra_config=sections()).run([*named, *_without_file(words)])
        return status


def __getattr__(name: str) -> Any:
    """Choose the class of a command by where it is typed, and by the file that it is about."""
    if name not in _DOITS:
        raise AttributeError(name)
    doits = _class(_DOITS[name])
    words = sys.argv[1:]
    file = _named_file(words) or _nearest()
    if file is None or not _is_ours(file):
        return doits
    here = file.parent == Path.cwd()
    if here and _LOADER in sys.modules:
        return _class(_OURS[name])
    if not here and any(map(_DIRECTORY.match, _for_doit(words))):
        return doits  # the person says from where to read
    outlast_readers()
    return type(name, (FromElsewhere,), {"name": name, "doc_purpose": doits.doc_purpose, "doc_usage": doits.doc_usage})


def _for_doit(words: list[str]) -> list[str]:
    return list(takewhile(lambda word: word != "--", words))


def _named_file(words: list[str]) -> Path | None:
    """Find the file that is read instead of dodo.py, as doit's option or its variable says."""
    mine = _for_doit(words)
    given = [after for word, after in pairwise(mine) if word in _OPTION]
    given += [match[1] for match in map(_FILE.fullmatch, mine) if match]
    last = given[-1] if given else os.environ.get("DOIT_FILE", "")
    return Path(last).absolute() if last else None


def _without_file(words: list[str]) -> list[str]:
    mine = _for_doit(words)
    pairs = zip(["", *mine], mine, strict=False)
    kept = [word for before, word in pairs if not {before, word} & set(_OPTION) and not _FILE.fullmatch(word)]
    return [*kept, *words[len(mine) :]]


def _class(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def _nearest() -> Path | None:
    """Find the nearest dodo.py, from the current directory upwards."""
    here = Path.cwd()
    files = (directory / "dodo.py" for directory in (here, *here.parents))
    return next((file for file in files if _is_there(file)), None)


def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a parent that we may not look into
        return False


def _is_ours(file: Path) -> bool:
    """Tell whether a file is the graph of a workspace, as the first lines of its code say."""
    try:
        return Workspace.find(file.parent).root == file.parent and bool(_IMPORTS_US.search(read_input(file)))
    except (StoreError, OSError):
        return False
