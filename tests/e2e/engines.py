"""Workspaces on an engine of the test's own: the one of the engine tests, with the base image in it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from project import Project

sys.path.append(str(Path(__file__).parent.parent / "engine"))

from own_engine import CAN, OwnEngine, copy_image, own_engine

from benchrouter.engine.client import Engine
from benchrouter.engine.images import inspect_image

__all__ = ["CAN", "own_workspace", "start", "stop"]
BASES = ("debian:bookworm-slim", "benchrouter-bootstrap/debian:bookworm-slim")


@contextmanager
def own_workspace(root: Path, megabytes: int | None = None) -> Iterator[tuple[Project, OwnEngine]]:
    """Make a workspace whose commands use an engine of its own, on a small disk when `megabytes` are given."""
    with own_engine(megabytes) as own:
        shared, mine = Engine.connect(), own.start()
        try:
            copy_image(shared, next(base for base in BASES if inspect_image(shared, base)), mine)
        finally:
            shared.close()
            mine.close()
        project = Project.make(root)
        project.environment["DOCKER_HOST"] = own.address
        yield project, own


def start(own: OwnEngine) -> None:
    """Start an engine that was stopped, and wait until it answers."""
    own.start().close()


def stop(own: OwnEngine, number: signal.Signals = signal.SIGTERM) -> None:
    """End the engine; after SIGKILL its containers live on."""
    process: subprocess.Popen[bytes] | None = own._process
    assert process is not None
    own.send(number)
    process.wait(60)


def containers(own: OwnEngine) -> list[str]:
    """List the containers of an engine, running or not."""
    words = ["docker", "--host", own.address, "ps", "-aq"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()


def images(own: OwnEngine, *filters: str) -> list[str]:
    """List the images of an engine by name and id."""
    words = ["docker", "--host", own.address, "images", "--format", "{{.Repository}}:{{.Tag}} {{.ID}}", *filters]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
