"""What the engine's own tests share: an engine, an image, containers and builds in two lines."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any

from benchrouter.engine.build import BuildRequest, BuiltImage, build
from benchrouter.engine.client import Engine
from benchrouter.engine.container_spec import ContainerSpec
from benchrouter.engine.containers import Exit, run_container
from benchrouter.engine.images import remove_name
from benchrouter.engine.labels import object_labels


@dataclass
class Heard:
    """What a container wrote, by stream."""

    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)

    def __call__(self, stream: str, data: bytes) -> None:
        getattr(self, stream).extend(data)


@dataclass
class Bench:
    """One workspace and run of a test, on a real engine."""

    engine: Engine
    image: str
    workspace: str = field(default_factory=lambda: f"test-{token_hex(6)}")
    run: str = field(default_factory=lambda: f"run-{token_hex(6)}")
    heard: Heard = field(default_factory=Heard)
    names: list[str] = field(default_factory=list)

    def spec(self, script: str, **changed: Any) -> ContainerSpec:
        """Describe a container that runs a shell script."""
        return ContainerSpec(
            **{
                "name": f"benchrouter-test-{token_hex(6)}",
                "image": self.image,
                "entrypoint": ("/bin/sh",),
                "command": ("-c", script),
                "workdir": "/",
                "environment": {},
                "mounts": (),
                "labels": object_labels(self.workspace, self.run),
                "stop_grace": 1.0,
                "network": "none",
                **changed,
            }
        )

    def shell(
        self,
        script: str,
        *,
        timeout: float = 60.0,
        cancelled: threading.Event | None = None,
        watch: Callable[[], str | None] = lambda: None,
        on_output: Callable[[str, bytes], None] | None = None,
        **changed: Any,
    ) -> Exit:
        """Run a shell script in a container and note what it writes."""
        return run_container(
            self.engine,
            self.spec(script, **changed),
            timeout=timeout,
            on_output=on_output or self.heard,
            cancelled=cancelled or threading.Event(),
            watch=watch,
        )

    def request(self, dockerfile: str, directory: Path, **changed: Any) -> BuildRequest:
        """Write a Dockerfile (`FROM base` is the test's image) and ask for its build."""
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "Dockerfile").write_text(dockerfile)
        key = changed.pop("key", token_hex(16))
        tag = changed.pop("tag", f"benchrouter/test-{token_hex(4)}:{key}")
        self.names.append(tag)
        return BuildRequest(
            **{
                "tag": tag,
                "key": key,
                "dockerfile": directory / "Dockerfile",
                "context": directory,
                "workspace_id": self.workspace,
                "run_id": self.run,
                "bases": {"base": self.image},
                **changed,
            }
        )

    def build(self, request: BuildRequest, lines: list[str] | None = None) -> BuiltImage:
        """Build with the engine's best builder."""
        return build(self.engine, request, (lines if lines is not None else []).append, threading.Event())

    def containers(self) -> list[str]:
        """List the containers of this run."""
        found = self.engine.api.containers(
            all=True, filters={"label": [f"benchrouter.run={self.run}"]}
        )
        return [str(each["Id"]) for each in found]

    def unnamed(self) -> list[str]:
        """List the unnamed images of this run."""
        wanted = {"dangling": True, "label": [f"benchrouter.image.run={self.run}"]}
        return [str(each["Id"]) for each in self.engine.api.images(filters=wanted)]

    def clean(self) -> None:
        """Remove what the test named."""
        for name in self.names:
            remove_name(self.engine, name)
