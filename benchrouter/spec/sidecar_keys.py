"""Every key that Compose knows for a service, and what it means beside a task (pure).

What is not in one of these lists never reaches Compose, so that nothing is granted that a plan does not show.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

OURS = frozenset({"name", "build", "post_start"})  # said in other words

_ORDINARY = """
    blkio_config cap_drop command container_name cpu_count cpu_percent cpu_period cpu_quota cpu_rt_period
    cpu_rt_runtime cpu_shares cpus cpuset depends_on deploy dns dns_opt dns_search domainname entrypoint env_file
    environment expose extra_hosts group_add healthcheck hostname image init labels links logging mac_address mem_limit
    mem_reservation mem_swappiness memswap_limit networks pids_limit platform ports profiles pull_policy read_only
    restart scale shm_size stdin_open stop_grace_period stop_signal storage_opt sysctls tmpfs tty ulimits user volumes
    working_dir
"""
ORDINARY = frozenset(_ORDINARY.split())

# What an ordinary container has not; a plan shows each of them, and what of `volumes` and `deploy` is the host's.
_RIGHTS = """
    privileged cap_add devices device_cgroup_rules gpus runtime pid ipc uts cgroup cgroup_parent security_opt
    userns_mode annotations oom_kill_disable oom_score_adj
"""
RIGHTS = tuple(_RIGHTS.split())

# Of no use here, since sidecars are made for one job and removed by force.
WITHOUT_EFFECT = frozenset({"attach", "develop", "isolation", "label_file", "pre_stop", "pull_refresh_after"})

_NO_TOP_LEVEL = "it is declared at the top level of a Compose file, which a task has not; mount a file with `volumes`"
REFUSED: Mapping[str, str] = {
    "configs": _NO_TOP_LEVEL,
    "credential_spec": "it is for containers of Windows",
    "extends": "what a service is has to stand in task.yaml; copy the keys",
    "external_links": "a sidecar is in the network of its job, and reaches no container of another one",
    "models": "a task's model is the one that a run is for",
    "network_mode": "a sidecar is in the network of its job",  # found there by its name, and only there
    "provider": "it runs a program on the host",
    "secrets": _NO_TOP_LEVEL,
    "use_api_socket": "it gives the host's Docker away; name `/var/run/docker.sock` in `volumes`, which a plan shows",
    "volumes_from": "name the volume in the `volumes` of both",
}
KNOWN = ORDINARY | frozenset(RIGHTS)
_OWN = re.compile(r"x-[A-Za-z0-9_.-]+")
_ORDINARY_VALUES: tuple[Any, ...] = (False, "private", "none", "", 0, None, [], {})
_DEVICES = ("deploy", "resources", "reservations", "devices")


def passes(key: str) -> bool:
    """Tell whether Compose gets to see a key; one that is neither known nor a plain word of the author's own, not."""
    return key in KNOWN or _OWN.fullmatch(key) is not None


def rights_of(sidecar: Mapping[str, Any]) -> Iterator[str]:
    """Name what a sidecar asks for that an ordinary container has not: rights, and places of the host."""
    yield from (f"{key}: {sidecar[key]}" for key in RIGHTS if sidecar.get(key) not in _ORDINARY_VALUES)
    found: Any = sidecar
    for key in _DEVICES:
        found = found.get(key) if isinstance(found, Mapping) else None
    if found:
        yield f"{'.'.join(_DEVICES)}: {found}"
    for source in bound(sidecar.get("volumes")):
        if source.startswith(("/", "~")):
            yield f"the host's {source}"


def bound(volumes: Any) -> Iterator[str]:
    """Give the paths that volumes bind; one that begins with neither `/` nor `~` starts at the task's directory."""
    for volume in volumes if isinstance(volumes, list) else ():
        yield from filter(None, (bound_path(volume),))


def bound_path(volume: Any) -> str:
    """Give the path that one volume binds; empty where it is a volume of the engine's."""
    if isinstance(volume, Mapping):
        return str(volume.get("source") or "") if volume.get("type") == "bind" else ""
    source, colon, _ = str(volume).partition(":")
    return source if colon and source.startswith((".", "/", "~")) else ""


def files_of(sidecar: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Give each file that Compose itself reads for a sidecar, and where that is said."""
    given = sidecar.get("env_file")
    for index, each in enumerate(given if isinstance(given, list) else [given]):
        at: tuple[str | int, ...] = ("env_file", index) if isinstance(given, list) else ("env_file",)
        path = each.get("path") if isinstance(each, Mapping) else each
        if path is not None:
            yield at, str(path)
    for index, option in enumerate(_texts(sidecar.get("security_opt"))):
        name, _, value = re.sub(r"^seccomp:", "seccomp=", option).partition("=")
        if name == "seccomp" and value != "unconfined":
            yield ("security_opt", index), value


def _texts(given: Any) -> Iterable[str]:
    return [str(each) for each in given] if isinstance(given, list) else ()
