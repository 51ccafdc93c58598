"""Workspaces on an engine of the tests' own: the one of the engine tests, on a small disk, with the base image."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from project import Project

sys.path.append(str(Path(__file__).parent.parent / "engine"))

from own_engine import CAN, OwnEngine, copy_image, own_engine

from benchrouter.engine.client import Engine
from benchrouter.engine.images import inspect_image

__all__ = ["CAN", "SmallEngine", "small_engine"]
BASES = ("debian:bookworm-slim", "benchrouter-bootstrap/debian:bookworm-slim")
MEGABYTES = 600


@dataclass
class SmallEngine:
    """An engine whose data is on a disk of its own, of MEGABYTES; it runs until a test stops it."""

    own: OwnEngine
    running: bool = True

    def workspace(self, root: Path, settings: str = "") -> Project:
        """Make a workspace whose commands use this engine."""
        self.start()
        project = Project.make(root)
        project.environment["DOCKER_HOST"] = self.own.address
        (project.root / "benchrouter.yaml").write_text(settings)
        return project

    def start(self) -> None:
        """Start it when it was stopped, and wait until it answers."""
        if not self.running:
            self.own.start().close()
            self.running = True

    def stop(self, number: signal.Signals) -> None:
        """End it; after SIGKILL its containers live on."""
        process: subprocess.Popen[bytes] | None = self.own._process
        assert process is not None
        self.running = False
        self.own.send(number)
        process.wait(60)

    def docker(self, *words: str) -> list[str]:
        """Ask it by hand."""
        command = ["docker", "--host", self.own.address, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()


@contextmanager
def small_engine() -> Iterator[SmallEngine]:
    """Start an engine, give it the base image, take it away at the end."""
    with own_engine(MEGABYTES) as own:
        shared, mine = Engine.connect(), own.start()
        try:
            copy_image(shared, next(base for base in BASES if inspect_image(shared, base)), mine)
        finally:
            shared.close()
            mine.close()
        yield SmallEngine(own)
