"""How doit loads dodo.py: as it always does, without leaving compiled files, since listing writes nothing."""

from __future__ import annotations

import sys
from typing import Any

from doit.cmd_base import DodoTaskLoader

from benchrouter.make.interruption import outlast_readers
from benchrouter.make.voice import complain, program


class Loader(DodoTaskLoader):  # type: ignore[misc]
    """doit's own loader; the workspace stays as it was, and a kind of node may be called like a command of ours."""

    def __init__(self) -> None:
        """Begin: of what is ours, doit makes the loader first, and all commands print after that."""
        super().__init__()
        outlast_readers()
        if "" in sys.argv[1:] and program() == "doit":
            # doit looks at the first letter of each word before it asks anything of ours.
            complain("there is an empty word on the command line; is it a variable of the shell that is not set?")
            raise SystemExit(2)

    def load_tasks(self, cmd: Any, pos_args: Any) -> Any:
        """Load the tasks; `doit image` is the command, `doit run image` the nodes."""
        self.cmd_names: list[str] = [name for name in self.cmd_names if name != "image"]
        return super().load_tasks(cmd, pos_args)

    def setup(self, opt_values: Any) -> None:
        """Import dodo.py."""
        before = sys.dont_write_bytecode
        sys.dont_write_bytecode = True
        try:
            super().setup(opt_values)
        finally:
            sys.dont_write_bytecode = before
