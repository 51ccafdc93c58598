"""A ContainerSpec in the words of the engine's API (pure)."""

from __future__ import annotations

from typing import Any

from benchrouter.engine.container_spec import ContainerSpec, Limits, Mount


def create_config(spec: ContainerSpec) -> dict[str, Any]:
    """Build the body of a create request: the image's entrypoint overridden, its user kept."""
    environment = {**spec.environment, **spec.secrets}
    return {
        "Image": spec.image,
        "Entrypoint": list(spec.entrypoint),
        "Cmd": list(spec.command),
        "WorkingDir": spec.workdir,
        **({} if spec.user is None else {"User": spec.user}),
        "Env": [f"{name}={value}" for name, value in environment.items()],
        "Labels": dict(spec.labels),
        "AttachStdout": True,
        "AttachStderr": True,
        "Tty": False,
        "Healthcheck": {"Test": ["NONE"]},
        "HostConfig": {
            "NetworkMode": spec.network,
            "Mounts": [_mount(mount) for mount in spec.mounts],
            # We read the output as it comes; a second copy on the engine's disk would have no bound.
            "LogConfig": {"Type": "none", "Config": {}},
            "RestartPolicy": {"Name": "no"},
            **_limits(spec.limits),
        },
    }


def _mount(mount: Mount) -> dict[str, Any]:
    return {
        "Type": "bind",
        "Source": mount.source,
        "Target": mount.target,
        "ReadOnly": mount.read_only,
    }


def _limits(limits: Limits) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if limits.memory is not None:
        # The same value for both: memory alone would allow as much swap again.
        config |= {"Memory": limits.memory, "MemorySwap": limits.memory}
    if limits.cpus is not None:
        config["NanoCpus"] = round(limits.cpus * 1_000_000_000)
    if limits.pids is not None:
        config["PidsLimit"] = limits.pids
    if limits.shm_size is not None:
        config["ShmSize"] = limits.shm_size
    if limits.gpus:
        config["DeviceRequests"] = [{"Driver": "", "Count": limits.gpus, "Capabilities": [["gpu"]]}]
    return config
