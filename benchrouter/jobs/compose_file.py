"""compose.yaml of a job: its sidecars as Compose services, for our own use and for people (pure)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from benchrouter.engine.container_spec import Resolver
from benchrouter.spec.sidecar_keys import bound_path, passes
from benchrouter.spec.sidecar_memory import memory_limit
from benchrouter.spec.task import Task

ENVIRONMENT_IMAGE = "benchrouter-env-"
# What could make two jobs meet, or start something without our knowing. Names in the network come from the
# services; a fixed container name becomes one more of them.
_NOT_HERE = ("container_name", "ports", "profiles", "networks", "logging", "pull_policy")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_VOLUME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def service_name(taken: Iterable[str]) -> str:
    """Name the service of the evaluation, in a file whose sidecars have the names `taken`."""
    names, name = set(taken), "evaluation"
    while name in names:
        name += "-"
    return name


def services_for_people(task: Task, images: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Describe each sidecar as its author did; an environment by the name that its image has in the engine."""
    return {
        str(sidecar["name"]): {
            "image": _image(sidecar, images, built_only=True),
            **{key: value for key, value in sidecar.items() if passes(key) and key != "image"},
            **({"x-post-start": list(sidecar["post_start"])} if sidecar.get("post_start") else {}),
        }
        for sidecar in task.sidecars
    }


def services_for_us(
    task: Task,
    images: Mapping[str, str],
    labels: Mapping[str, str],
    *,
    log_bytes: int,
    memory: int | None,
    start_interval: bool,
    resolver: Resolver | None = None,
    dropped: tuple[str, ...] = (),
) -> dict[str, dict[str, Any]]:
    """Describe each sidecar as one job of many starts it: nothing published, nothing pulled, labelled, bounded.

    `memory` bounds a sidecar that sets no limit of its own. `start_interval` tells whether the engine knows that.
    `resolver` is that of a network without a way out, `dropped` the capabilities that nobody has there who does not
    ask for them.
    """
    return {
        str(sidecar["name"]): {
            "image": _image(sidecar, images),
            **{key: value for key, value in sidecar.items() if passes(key) and key not in (*_NOT_HERE, "image")},
            **_volumes(sidecar),
            **_health(sidecar, start_interval),
            **_aliases(sidecar),
            **_memory(sidecar, memory),
            **({"dns": list(resolver.servers), "dns_opt": list(resolver.options)} if resolver else {}),
            **_capabilities(sidecar, dropped),
            "labels": {**_labels(sidecar), **labels},
            "logging": {"driver": "json-file", "options": {"max-size": str(log_bytes), "max-file": "2"}},
            "pull_policy": "never",
        }
        for sidecar in task.sidecars
    }


def _image(sidecar: Mapping[str, Any], images: Mapping[str, str], built_only: bool = False) -> str:
    if sidecar.get("build"):
        ref = f"{ENVIRONMENT_IMAGE}{sidecar['build']}"
        return images.get(ref, ref)
    ref = str(sidecar["image"])
    return ref if built_only and not ref.startswith(ENVIRONMENT_IMAGE) else images.get(ref, ref)


def _volumes(sidecar: Mapping[str, Any]) -> dict[str, Any]:
    """What comes from the task's directory is read-only, as it is for the task."""
    given = sidecar.get("volumes")
    return {"volumes": [_protected(volume) for volume in given]} if given else {}


def _protected(volume: Any) -> Any:
    """Write a path of the task in the long form: the short one splits at colons, and makes what is not there."""
    if isinstance(volume, Mapping):
        return _bind(volume, {**(volume.get("bind") or {})}) if _relative(volume) else volume
    source, _, rest = str(volume).partition(":")
    if not _relative(volume):
        return volume
    target, _, modes = rest.partition(":")
    labelled = [mode for mode in modes.split(",") if mode in ("z", "Z")]
    options = {"selinux": labelled[0]} if labelled else {}
    return _bind({"type": "bind", "source": source, "target": target}, options)


def _relative(volume: Any) -> bool:
    path = bound_path(volume)
    return bool(path) and not path.startswith(("/", "~"))


def _bind(volume: Mapping[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    return {**volume, "read_only": True, "bind": {**options, "create_host_path": False}}


def _health(sidecar: Mapping[str, Any], start_interval: bool) -> dict[str, Any]:
    check = sidecar.get("healthcheck")
    if not check or start_interval or "start_interval" not in check:
        return {}
    return {"healthcheck": {key: value for key, value in check.items() if key != "start_interval"}}


def _aliases(sidecar: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the further names that a sidecar asks for; all sidecars of a job are on one network."""
    names: list[str] = [str(sidecar["container_name"])] if sidecar.get("container_name") else []
    networks = sidecar.get("networks")
    for options in networks.values() if isinstance(networks, Mapping) else ():
        names += [str(alias) for alias in (options or {}).get("aliases", ())]
    return {"networks": {"default": {"aliases": names}}} if names else {}


def _memory(sidecar: Mapping[str, Any], memory: int | None) -> dict[str, Any]:
    if memory is None or memory_limit(sidecar) is not None or "memswap_limit" in sidecar:
        return {}
    return {"mem_limit": memory, "memswap_limit": memory}


def _capabilities(sidecar: Mapping[str, Any], dropped: tuple[str, ...]) -> dict[str, Any]:
    given = sidecar.get("cap_drop") or []
    return {"cap_drop": [*given, *dropped]} if dropped and isinstance(given, list) else {}


def _labels(sidecar: Mapping[str, Any]) -> dict[str, str]:
    given = sidecar.get("labels") or {}
    if isinstance(given, Mapping):
        return {str(name): "" if value is None else str(value) for name, value in given.items()}
    pairs = (str(each).partition("=") for each in given)
    return {name: value for name, _, value in pairs}


def named_volumes(task: Task) -> list[str]:
    """List the named volumes that the sidecars mount, which Compose wants declared."""
    names: dict[str, None] = {}
    for sidecar in task.sidecars:
        for volume in sidecar.get("volumes") or ():
            if isinstance(volume, Mapping):
                source = str(volume.get("source", "")) if volume.get("type", "volume") == "volume" else ""
            else:
                source = str(volume).partition(":")[0] if ":" in str(volume) else ""
            if _VOLUME.fullmatch(source):
                names[source] = None
    return list(names)


def scalar(value: Any) -> str:
    """Write a value as YAML that Compose reads back as it is: JSON, with `$` doubled and nothing unprintable."""
    text = json.dumps(value, ensure_ascii=False, default=str).replace("$", "$$")
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
