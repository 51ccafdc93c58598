"""Small workspaces for tests of the `benchrouter` command, and the command itself as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchrouter.make.workspace_files import write_workspace_files

RUNS_NOWHERE = {"DOCKER_HOST": "unix:///nonexistent/docker.sock"}


@dataclass(frozen=True)
class Called:
    """What a call of the command came to."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on stdout."""
        document = json.loads(self.out)
        assert document["version"] == 1
        assert isinstance(document, dict)
        return document


def benchrouter(where: Path, *words: str | Path, **environ: str) -> Called:
    """Call the command in a directory, where no engine answers."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("BENCHROUTER_", "OPENAI_"))}
    done = subprocess.run(
        [sys.executable, "-m", "benchrouter", *map(str, words)],
        cwd=where,
        env={**clean, **RUNS_NOWHERE, **environ},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Called(done.returncode, done.stdout, done.stderr)


def small_workspace(root: Path) -> Path:
    """Make a workspace with one benchmark `b` of the tasks `one` and `two`."""
    root.mkdir(exist_ok=True)
    write_workspace_files(root)
    tasks = "".join(f"  - name: {name}\n" for name in ("one", "two"))
    for path, text in {
        "benchmark.yaml": f"name: b\ntasks:\n{tasks}",
        "environments/b/Dockerfile": "FROM debian:bookworm-slim\n",
        "one/task.yaml": "name: one\ncommand: sh run.sh\n",
        "two/task.yaml": "name: two\ncommand: sh run.sh\n",
        "one/run.sh": "true\n",
    }.items():
        file = root / "benchmarks" / "b" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root
