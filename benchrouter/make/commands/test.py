"""`doit test`: the tests of BenchRouter itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from benchrouter.make.commands.plain import PlainCommand
from benchrouter.make.variables import UsageError

# Most tests wait for containers. A file stays on one worker, since its tests may share a workspace.
# Files begin in the order of tests/conftest.py.
_WHOLE_SUITE = ("-n", "4", "--dist", "loadfile", "--no-loadscope-reorder")


class Test(PlainCommand):
    """Hands everything that follows to pytest; without anything, the whole suite runs in four workers."""

    doc_purpose = "run the tests of BenchRouter (arguments go to pytest after --)"
    doc_usage = "[-- PYTEST ARGUMENTS]"

    def answer(self, options: Any, args: list[str]) -> int:
        """Become pytest."""
        if not Path("tests").is_dir():
            raise UsageError("no tests/ here: `doit test` runs in a checkout of BenchRouter")
        try:
            import pytest  # noqa: F401
        except ImportError:
            raise UsageError(
                "pytest is not installed; `./doitw test` installs it, or: pip install -e '.[dev]'"
            ) from None
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, "-m", "pytest", *(args or _WHOLE_SUITE)])
