"""Building with BuildKit through a docker client."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable

from benchrouter.engine.build_context import stage
from benchrouter.engine.client import Engine
from benchrouter.engine.docker_cli import Cli, cli_environment
from benchrouter.engine.errors import (
    WHAT_FILLS_IT,
    BuildCancelled,
    DiskFull,
    EngineError,
    ImageBuildFailed,
    means_disk_full,
)
from benchrouter.engine.guarded import run_guarded
from benchrouter.engine.prepared import Prepared
from benchrouter.engine.site_build import secret_id

_ENGINE_LOST = ("cannot connect to the docker daemon", "error during connect", "code = unavailable", "eof")


def build(
    engine: Engine,
    cli: Cli,
    prepared: Prepared,
    on_line: Callable[[str], None],
    tail: deque[str],
    cancelled: threading.Event,
) -> str:
    """Build and return the id of an image that has no name yet; `tail` is what `on_line` heard last."""
    context = prepared.scratch / "context"
    stage(prepared.context, prepared.context_paths, context)
    id_file = prepared.scratch / "image-id"
    environment = cli_environment(engine, os.environ, prepared.run_id) | prepared.delivery.proxies
    ended = run_guarded(
        [*_command(cli, prepared), "--iidfile", str(id_file), str(context)],
        environment,
        on_line,
        cancelled,
        prepared.timeout,
    )
    if ended.cancelled:
        raise BuildCancelled("the build was stopped because the run was")
    if ended.timed_out:
        raise ImageBuildFailed(f"the build took longer than {prepared.timeout:.0f} s", "\n".join(tail))
    if ended.code != 0:
        raise _failure(engine, tail)
    return id_file.read_text("ascii").strip()


def _command(cli: Cli, prepared: Prepared) -> list[str]:
    dockerfile = prepared.scratch / "Dockerfile"
    dockerfile.write_bytes(prepared.dockerfile.encode("utf-8"))
    command = [cli.path, "build", "--progress", "plain", "--file", str(dockerfile)]
    for name, value in prepared.labels.items():
        command += ["--label", f"{name}={value}"]
    for name, value in prepared.build_args.items():
        command += ["--build-arg", f"{name}={value}"]
    for name in prepared.delivery.proxies:
        command += ["--build-arg", name]  # the value comes from the environment, never from the process list
    for name, content in prepared.files.items():
        path = prepared.scratch / f"secret-{name}"
        path.touch(mode=0o600)
        path.write_bytes(content)
        command += ["--secret", f"id={secret_id(name)},src={path}"]
    if prepared.platform is not None:
        command += ["--platform", prepared.platform]
    if prepared.network is not None:
        command += ["--network", prepared.network]
    if prepared.no_cache:
        command += ["--no-cache"]
    return command


def _failure(engine: Engine, tail: deque[str]) -> Exception:
    text = "\n".join(tail)
    last = next((line for line in reversed(tail) if "error" in line.lower()), tail[-1] if tail else "")
    if means_disk_full(text):
        return DiskFull(f"building: {last} ({WHAT_FILLS_IT})")
    if any(sign in last.lower() for sign in _ENGINE_LOST) and not engine.answers():
        return EngineError("lost the engine during a build")
    return ImageBuildFailed(f"the build failed: {last}", text)
