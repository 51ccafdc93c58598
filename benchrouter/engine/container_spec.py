"""What a container is made from: one frozen description, rendered as run.sh and sent to the engine alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Mount:
    """A bind mount: absolute host path, absolute container path."""

    source: str
    target: str
    read_only: bool = True


@dataclass(frozen=True)
class Limits:
    """Limits of one container: bytes, CPUs (fractions allowed), processes; None is the engine's default."""

    memory: int | None = None
    cpus: float | None = None
    pids: int | None = None
    shm_size: int | None = None
    gpus: int = 0


@dataclass(frozen=True)
class ContainerSpec:
    """Everything that the engine is told of a job's container.

    `environment` holds what may be shown; `secrets` holds values that no rendering, log or error may contain.
    `network` is `host` or `none`. `stop_grace` is seconds between TERM and KILL. `user` None is the
    image's own.
    """

    name: str
    image: str
    entrypoint: tuple[str, ...]
    command: tuple[str, ...]
    workdir: str
    environment: Mapping[str, str]
    mounts: tuple[Mount, ...]
    limits: Limits = Limits()
    network: str = "host"
    labels: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    stop_grace: float = 10.0
    user: str | None = None
