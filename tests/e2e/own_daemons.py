"""Benchmarks whose tasks have a Docker daemon of their own, in a workspace of a test."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from project import Project

# Without what is large and not used: each seed is made of it.
DOCKERFILE = """\
FROM debian:bookworm-slim
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \\
    docker.io iptables >/dev/null && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb \\
    /usr/bin/ctr /usr/bin/dnet /usr/sbin/ovrouter /usr/bin/containerd-shim /usr/bin/containerd-shim-runc-v1
"""
SERVING_DOCKERFILE = f"""\
{DOCKERFILE}RUN apt-get update \\
    && apt-get install -y --no-install-recommends ca-certificates curl python3 \\
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin
"""
"""For an image that is the task's and its sidecar's: a web server of Python's beside Docker."""
HARNESS_DOCKERFILE = f"""\
{DOCKERFILE}RUN apt-get update \\
    && apt-get install -y --no-install-recommends ca-certificates python3 git python-is-python3 \\
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin
"""
"""For stand-ins of harnesses that run containers."""
OWN = 'docker run --rm "$BENCHROUTER_ENV_IMAGE_TAG"'


def daemons(project: Project, tasks: Mapping[str, str], task_yaml: str = "") -> None:
    """Write the benchmark `b`, whose tasks have daemons."""
    project.benchmark("b", tasks, dockerfile=DOCKERFILE, task_yaml=f"docker: true\n{task_yaml}")


def seeds(project: Project) -> list[Path]:
    """List the seeds of a workspace, unfinished ones too."""
    return [path for path in (project.root / "cache" / "seeds").glob("*") if path.suffix != ".json"]


def inodes(paths: Iterable[Path]) -> set[int]:
    """Tell files by their inode, which a loop device knows of its file."""
    found = set()
    for path in paths:
        try:
            found.add(path.stat().st_ino)
        except OSError:
            continue
    return found


def attached(wanted: set[int]) -> list[str]:
    """List the loop devices that show one of these files."""
    said = subprocess.run(["losetup", "-l", "-n", "-O", "NAME,BACK-INO"], capture_output=True, text=True, check=True)
    pairs = [line.split() for line in said.stdout.splitlines()]
    return [name for name, inode in pairs if int(inode) in wanted]
