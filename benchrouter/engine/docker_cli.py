"""The docker command line client as a BuildKit front: which one on PATH can, and how it finds our engine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchrouter.engine import deadlines
from benchrouter.engine.client import Engine

_FIRST_WITH_BUILDKIT = (18, 9)
_BUILDKIT_IN_PLUGIN = 23  # from here on the client builds with BuildKit through its buildx plugin only


@dataclass(frozen=True)
class Cli:
    """A docker client that can build with BuildKit."""

    path: str
    version: str


def find_cli(environ: Mapping[str, str]) -> tuple[Cli | None, str]:
    """Find the first client on PATH that can build with BuildKit; else None and why each of them cannot."""
    refusals: list[str] = []
    for path in _clients(environ.get("PATH", os.defpath)):
        version = _output([path, "version", "--format", "{{.Client.Version}}"], environ).strip()
        numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
        if not numbers:
            refusals.append(f"{path} does not tell its version")
        elif numbers < _FIRST_WITH_BUILDKIT:
            refusals.append(f"{path} {version} is too old")
        elif numbers[0] >= _BUILDKIT_IN_PLUGIN and not _output([path, "buildx", "version"], environ):
            refusals.append(f"{path} {version} has no buildx plugin")
        else:
            return Cli(path, version), ""
    return None, "; ".join(refusals) or "there is no docker client on PATH"


def cli_environment(engine: Engine, environ: Mapping[str, str], run_id: str) -> dict[str, str]:
    """Let the client talk to `engine`, and let the sweep of a later start find it by the run."""
    env = {name: value for name, value in environ.items() if not name.startswith(("DOCKER_", "BUILDX_"))}
    if "DOCKER_CONFIG" in environ:
        env["DOCKER_CONFIG"] = environ["DOCKER_CONFIG"]
    env |= {
        "DOCKER_HOST": engine.address.url,
        "DOCKER_BUILDKIT": "1",
        "BUILDX_BUILDER": "default",  # another builder would not see the engine's images
        "BENCHROUTER_OWNER": run_id,
    }
    if engine.address.cert_dir is not None:
        env["DOCKER_CERT_PATH"] = engine.address.cert_dir
        env["DOCKER_TLS_VERIFY" if engine.address.verify else "DOCKER_TLS"] = "1"
    return env


def _clients(path: str) -> Iterator[str]:
    seen: set[Path] = set()
    for directory in path.split(os.pathsep):
        candidate = Path(directory or ".") / "docker"
        # Access first: asking what a file is raises an error in a directory that is closed to us.
        if os.access(candidate, os.X_OK) and candidate.is_file() and candidate.resolve() not in seen:
            seen.add(candidate.resolve())
            yield str(candidate)


def _output(argv: list[str], environ: Mapping[str, str]) -> str:
    """Run a short question; empty when it fails. `docker version` fails without an engine, yet answers."""
    try:
        done = subprocess.run(
            argv,
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
    return done.stdout
