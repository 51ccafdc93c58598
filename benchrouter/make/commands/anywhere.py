"""doit's own command names, wherever they are typed: in a workspace, below one, or in somebody else's project.

doit reads its configuration from the current directory alone, and so knows nothing of us below a workspace. What it
reads everywhere are the entry points of installed packages (pyproject.toml), and those lead here.
"""

from __future__ import annotations

import os
import re
import sys
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import Any

from doit.cmd_base import Command

from benchrouter.make.interruption import outlast_readers
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
_CHOOSES_A_FILE = re.compile(r"-[fd]|--(file|dir)(=|$)")


class FromBelow(Command):  # type: ignore[misc]
    """Goes to the workspace above and gives the whole command line to doit again."""

    def parse_execute(self, in_args: list[str]) -> int:
        """Become what the command line means in the workspace."""
        from doit.doit_cmd import DoitMain

        # Paths on the command line are meant from where the person stands.
        os.environ["BENCHROUTER_CWD"] = str(Path.cwd())
        os.chdir(_nearest() or ".")
        status: int = DoitMain().run(sys.argv[1:])
        return status


def __getattr__(name: str) -> Any:
    """Choose the class of a command by where it is typed."""
    if name not in _DOITS:
        raise AttributeError(name)
    doits = _class(_DOITS[name])
    root = _nearest()
    if root is None or not _is_ours(root):
        return doits
    if root == Path.cwd():
        return _class(_OURS[name])
    if any(map(_CHOOSES_A_FILE.match, takewhile(lambda word: word != "--", sys.argv[1:]))):
        return doits  # the person says which dodo.py is meant
    outlast_readers()
    return type(name, (FromBelow,), {"name": name, "doc_purpose": doits.doc_purpose, "doc_usage": doits.doc_usage})


def _class(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def _nearest() -> Path | None:
    """Find the nearest directory with a dodo.py, from the current one upwards."""
    here = Path.cwd()
    return next((directory for directory in (here, *here.parents) if _is_there(directory / "dodo.py")), None)


def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a parent that we may not look into
        return False


def _is_ours(root: Path) -> bool:
    try:
        return Workspace.find(root).root == root and b"benchrouter" in (root / "dodo.py").read_bytes()
    except (StoreError, OSError):
        return False
