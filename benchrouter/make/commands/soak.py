"""`doit soak`: the tests that depend on moments and races, repeated many more times than the suite does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchrouter.make.commands.plain import PlainCommand
from benchrouter.make.variables import UsageError

ROUNDS = 20
_OPT_ROUNDS = {
    "name": "rounds",
    "short": "r",
    "long": "rounds",
    "type": int,
    "default": ROUNDS,
    "help": f"how often each moment or race is tried [default: {ROUNDS}]",
}


class Soak(PlainCommand):
    """Runs the tests marked `soak`; each prints its seed, and BENCHROUTER_SOAK_SEED repeats its moments."""

    doc_purpose = "repeat the tests of kills and races many times (arguments go to pytest after --)"
    doc_usage = "[-r ROUNDS] [-- PYTEST ARGUMENTS]"
    cmd_options = (_OPT_ROUNDS,)

    def answer(self, options: Any, args: list[str]) -> int:
        """Run pytest with as many rounds."""
        if options["rounds"] < 1:
            raise UsageError(f"-r {options['rounds']}: expected a whole number of at least 1")
        if not Path("tests/e2e").is_dir():
            raise UsageError("no tests/ here: `doit soak` runs in a checkout of BenchRouter")
        env = {**os.environ, "BENCHROUTER_SOAK": str(options["rounds"])}
        command = [sys.executable, "-m", "pytest", "-m", "soak", "-v", "tests/e2e", *args]
        sys.stdout.flush()
        return subprocess.run(command, env=env, check=False).returncode
