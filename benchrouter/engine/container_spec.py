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
class Device:
    """A device of the engine's machine as the container sees it; `rights` out of r, w, m."""

    source: str
    target: str
    rights: str = "r"


@dataclass(frozen=True)
class Privileges:
    """What a container may do beyond an ordinary one.

    `capabilities` None leaves the engine's usual set without those `dropped`, otherwise they are all there are.
    `unconfined` lifts the profiles and the masks on /proc that forbid what the capabilities allow. `own_cgroups` shows
    it its own control groups as if they were all there are. `device_rules` are rules of the device control group, for
    nodes that the container makes itself. `sealed_loops` forbids the calls that steer loop devices, whatever else is
    allowed.
    """

    privileged: bool = False
    runtime: str | None = None
    capabilities: tuple[str, ...] | None = None
    dropped: tuple[str, ...] = ()
    unconfined: bool = False
    own_cgroups: bool = False
    devices: tuple[Device, ...] = ()
    device_rules: tuple[str, ...] = ()
    sealed_loops: bool = False


@dataclass(frozen=True)
class Resolver:
    """Whom a container asks for names of other places than its own network, and with which options of resolv.conf."""

    servers: tuple[str, ...]
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class ContainerSpec:
    """Everything that the engine is told of a job's container.

    `environment` holds what may be shown; `secrets` holds values that no rendering, log or error may contain.
    `network` is `host`, `none` or the name of a network; `resolver` replaces its own. `stop_grace` is seconds
    between TERM and KILL. `user` None is the image's own. `volumes` are paths in the container that get a volume
    of their own, gone with the container.
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
    resolver: Resolver | None = None
    volumes: tuple[str, ...] = ()
    privileges: Privileges = Privileges()
