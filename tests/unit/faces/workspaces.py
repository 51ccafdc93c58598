"""Small workspaces for tests of the `benchrouter` command, and the command itself as a process."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from benchrouter.faces.app import app
from benchrouter.faces.ending import called
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
    """Call the command in a directory, where no engine answers: a process of its own, without starting Python anew."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("BENCHROUTER_", "OPENAI_"))}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        pid = os.fork()
        if pid == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            _be_the_command(where, [*map(str, words)], {**clean, **RUNS_NOWHERE, **environ})
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode())
    assert "Traceback" not in texts[1], texts[1]
    return Called(status, *texts)


def _be_the_command(where: Path, words: list[str], environ: dict[str, str]) -> NoReturn:
    """Do in a forked process what the script does in one of its own."""
    status = 70
    try:
        signal.alarm(60)
        sys.stdout, sys.stderr = (io.TextIOWrapper(io.FileIO(number, "w", closefd=False)) for number in (1, 2))
        sys.argv = ["benchrouter", *words]
        os.chdir(where)
        os.environ.clear()
        os.environ.update(environ)
        status = called(app, words)
        sys.stdout.flush()
    except SystemExit as end:  # so ends what a shell asks after a tab
        sys.stdout.flush()
        status = int(end.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


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
