"""A ContainerSpec in the words of the engine's API (pure)."""

from __future__ import annotations

from typing import Any

from benchrouter.engine.container_spec import ContainerSpec, Device, Limits, Mount, Privileges
from benchrouter.engine.seccomp import sealed_loops


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
            **_resolver(spec),
            "Mounts": [*map(_mount, spec.mounts), *(_volume(target, spec) for target in spec.volumes)],
            # We read the output as it comes; a second copy on the engine's disk would have no bound.
            "LogConfig": {"Type": "none", "Config": {}},
            "RestartPolicy": {"Name": "no"},
            **_limits(spec.limits),
            **_privileges(spec.privileges),
        },
    }


def _resolver(spec: ContainerSpec) -> dict[str, Any]:
    if spec.resolver is None:
        return {}
    return {"Dns": list(spec.resolver.servers), "DnsOptions": list(spec.resolver.options)}


def _mount(mount: Mount) -> dict[str, Any]:
    return {
        "Type": "bind",
        "Source": mount.source,
        "Target": mount.target,
        "ReadOnly": mount.read_only,
    }


def _volume(target: str, spec: ContainerSpec) -> dict[str, Any]:
    """Describe a volume without a name: the engine removes it with its container, a sweep finds it by its labels."""
    return {"Type": "volume", "Target": target, "VolumeOptions": {"NoCopy": True, "Labels": dict(spec.labels)}}


def _privileges(privileges: Privileges) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if privileges.privileged:
        config["Privileged"] = True
    if privileges.runtime is not None:
        config["Runtime"] = privileges.runtime
    if privileges.capabilities is not None:
        config |= {"CapDrop": ["ALL"], "CapAdd": list(privileges.capabilities)}
    elif privileges.dropped:
        config["CapDrop"] = list(privileges.dropped)
    filter = sealed_loops() if privileges.sealed_loops else "unconfined"
    if privileges.unconfined:
        config["SecurityOpt"] = [f"seccomp={filter}", "apparmor=unconfined", "label=disable"]
        config |= {"MaskedPaths": [], "ReadonlyPaths": []}
    elif privileges.sealed_loops:
        config["SecurityOpt"] = [f"seccomp={filter}"]
    if privileges.own_cgroups:
        config["CgroupnsMode"] = "private"
    if privileges.devices:
        config["Devices"] = [_device(device) for device in privileges.devices]
    if privileges.device_rules:
        config["DeviceCgroupRules"] = list(privileges.device_rules)
    return config


def _device(device: Device) -> dict[str, str]:
    return {
        "PathOnHost": device.source,
        "PathInContainer": device.target,
        "CgroupPermissions": device.rights,
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
