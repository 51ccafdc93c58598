"""What this machine must have: a build of the runtime for it, Node, and npm to install with; one clear message each."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

from benchrouter.models.model import ModelError
from benchrouter.models.smollm2.pins import NAME, OLDEST_NODE, PLATFORMS, PROVEN, platform_name

_SECONDS = 20.0
_HOW = "install Node 18 or newer (Debian: apt install nodejs npm) and see that it is on PATH"


@dataclass(frozen=True)
class Node:
    """A Node that can run the model: its path and version (`v20.1.0`)."""

    path: str
    version: str


def find_node(environ: Mapping[str, str]) -> Node:
    """Find Node on PATH; raise ModelError when there is none, or an older one than we need."""
    path = next((found for name in ("node", "nodejs") if (found := _which(name, environ))), None)
    if path is None:
        raise ModelError(f"{NAME} needs Node, and there is no `node` on PATH; {_HOW}")
    version = _version(path)
    number = re.match(r"v(\d+)\.", version)
    if number is None:
        raise ModelError(f"{NAME} needs Node, and `{path} --version` says {version!r:.80}; {_HOW}")
    if int(number[1]) < OLDEST_NODE:
        raise ModelError(f"{NAME} needs Node {OLDEST_NODE} or newer, found {version} ({path}); {_HOW}")
    return Node(path, version)


def find_npm(environ: Mapping[str, str]) -> str:
    """Find npm on PATH; raise ModelError when there is none."""
    path = _which("npm", environ)
    if path is None:
        raise ModelError(f"installing {NAME} needs npm, and there is none on PATH (Debian: apt install npm)")
    return path


def build_for(system: str | None = None, machine: str | None = None) -> str:
    """Name the runtime's build for a machine, by default this one; raise ModelError when there is none."""
    build = platform_name(system, machine)
    if build is None:
        import platform

        here = f"{system or platform.system()} on {machine or platform.machine()}"
        known = ", ".join(f"{each_system} on {each}" for each_system, each in PLATFORMS)
        raise ModelError(f"{NAME} has no build for {here}; there are builds for {known}")
    return build


def unproven(build: str) -> str:
    """Say that nobody has tried a build; nothing for the one that was."""
    return "" if build == PROVEN else f"{NAME} has been run on {PROVEN} only; {build} is known by name and unproven"


def _which(name: str, environ: Mapping[str, str]) -> str | None:
    return shutil.which(name, path=environ.get("PATH", ""))


def _version(path: str) -> str:
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return (done.stdout or done.stderr).strip()
