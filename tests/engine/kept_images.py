"""Images that tests of the engine build once and keep: on Debian, which the end-to-end tests need as well."""

from __future__ import annotations

import fcntl
import os
import subprocess
import tempfile
import threading
from pathlib import Path

from benchrouter.engine.bootstrap import bootstrap, stand_in_name
from benchrouter.engine.client import Engine
from benchrouter.engine.docker_cli import cli_environment, find_cli
from benchrouter.engine.images import inspect_image

DEBIAN = "debian:bookworm-slim"
INSTALL = """\
RUN apt-get update && apt-get install -y --no-install-recommends {} && \\
    rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin
"""
# As in tests/e2e/own_daemons.py, so that BuildKit does it once for both.
DOCKER = """\
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \\
    docker.io iptables >/dev/null && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb \\
    /usr/bin/ctr /usr/bin/dnet /usr/sbin/ovrouter /usr/bin/containerd-shim /usr/bin/containerd-shim-runc-v1
"""


def base_image(engine: Engine) -> str:
    """A small Debian with Python and curl."""
    return _kept(engine, "benchrouter.test/base:3", INSTALL.format("ca-certificates curl python3"))


def dind_image(engine: Engine) -> str:
    """Debian with Docker in it."""
    return _kept(engine, "benchrouter.test/dind:3", DOCKER + INSTALL.format("curl"))


def _kept(engine: Engine, ref: str, instructions: str) -> str:
    name = stand_in_name(ref)
    with Path(tempfile.gettempdir(), "benchrouter-test-images.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the suite has several workers
        if inspect_image(engine, name) is None:
            _build(engine, name, f"FROM {_debian(engine)}\n{instructions}")
    return name


def _debian(engine: Engine) -> str:
    for name in (DEBIAN, stand_in_name(DEBIAN)):
        if inspect_image(engine, name) is not None:
            return name
    return bootstrap(engine, DEBIAN, cancelled=threading.Event()).name


def _build(engine: Engine, name: str, dockerfile: str) -> None:
    cli, why = find_cli(os.environ)
    command = [cli.path if cli else "docker", "build", "--quiet", "--tag", name, "-"]
    environment = cli_environment(engine, os.environ, "test") | ({} if cli else {"DOCKER_BUILDKIT": "0"})
    done = subprocess.run(command, input=dockerfile, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{why}\n{done.stderr}"
