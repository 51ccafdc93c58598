"""Data volumes: directories from outside that a task asks for by name, and where they stand in its container."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

CONTENT = "content"
"""The identity that says: look at what is in the directory."""

TAKEN = (
    "/app/benchmark",
    "/app/results",
    "/app/benchrouter",
    "/etc/benchrouter",
    "/run/benchrouter",
    "/var/lib/docker",
    "/proc",
    "/sys",
    "/dev",
)
"""Places in a container that are ours, or the kernel's."""

_PATH = re.compile(r"/[A-Za-z0-9._@+=/-]*")


@dataclass(frozen=True)
class DataMount:
    """A data volume as a task asks for it: the volume's name, and its absolute path in the container."""

    name: str
    path: str
    writable: bool = False


def path_fault(path: str) -> str | None:
    """Say why a data volume cannot stand at this path of a container; None when it can."""
    if not _PATH.fullmatch(path):
        return "expected an absolute path in the container, such as `/data/hub`, of letters, digits and `._@+=-`"
    if ".." in PurePosixPath(path).parts or normal(path) == "/":
        return "expected a path below `/`, without `..`"
    taken = next((place for place in TAKEN if overlap(path, place)), None)
    return f"expected another place: `{taken}` is taken" if taken else None


def normal(path: str) -> str:
    """Write an absolute path in its one normal form."""
    return str(PurePosixPath("/", path.lstrip("/")))


def overlap(one: str, other: str) -> bool:
    """Tell whether one absolute path is the other, or below it, or above it."""
    first, second = PurePosixPath(normal(one)), PurePosixPath(normal(other))
    return first.is_relative_to(second) or second.is_relative_to(first)


def variable_of(name: str) -> str:
    """Name the variable that tells a script started by hand where a volume is."""
    return f"BENCHROUTER_DATA_{re.sub('[^A-Za-z0-9]', '_', name).upper()}"
