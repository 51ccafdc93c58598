"""What is wrong in `sidecars:` that single values do not show; found whatever else is wrong in the file."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath
from typing import Any

from benchrouter.spec.names import did_you_mean
from benchrouter.spec.problems import Problem
from benchrouter.spec.shapes import dotted
from benchrouter.spec.sidecar_memory import memory_faults
from benchrouter.spec.sidecar_shape import COMPOSE_KEYS, SidecarShape
from benchrouter.spec.yamlfile import Document, KeyPath


def sidecar_faults(document: Document) -> Iterator[Problem]:
    """Look at the list as it was read: names given twice, images and builds, paths outside, odd variables and keys."""
    read = document.data.get("sidecars")
    given = read if isinstance(read, list) else []
    every = [entry["name"] for entry in given if isinstance(entry, dict) and isinstance(entry.get("name"), str)]
    names: set[str] = set()
    for index, entry in enumerate(given):
        if not isinstance(entry, dict):
            continue
        at: KeyPath = ("sidecars", index)
        name = entry.get("name")
        if isinstance(name, str):
            if name in names:
                yield document.problem((*at, "name"), f"two sidecars are called `{name}`")
            names.add(name)
        if (entry.get("image") is None) == (entry.get("build") is None):
            yield document.problem(at, f"{_called(at, name)}: expected either `image` or `build`")
        for path, fault in memory_faults(entry):
            yield document.problem((*at, *path), f"{_called(at, name)}: {fault}")
        yield from _depends_on(document, (*at, "depends_on"), entry.get("depends_on"), every)
        yield from _network_mode(document, (*at, "network_mode"), entry)
        yield from _outside(document, (*at, "volumes"), entry.get("volumes"))
        yield from _variables(document, (*at, "environment"), entry.get("environment"))
        yield from _unknown(document, at, entry)


def _called(at: KeyPath, name: Any) -> str:
    return f"sidecar `{name}`" if isinstance(name, str) else f"`{dotted(at)}`"


def _depends_on(document: Document, at: KeyPath, given: Any, every: list[str]) -> Iterator[Problem]:
    for index, name in enumerate(given if isinstance(given, list | dict) else ()):
        if name not in every:
            path = (*at, name) if isinstance(given, dict) else (*at, index)
            message = f"`{dotted(at)}`: there is no sidecar `{name}`{did_you_mean(str(name), every)}"
            yield document.problem(path, message)


def _network_mode(document: Document, at: KeyPath, entry: dict[str, Any]) -> Iterator[Problem]:
    """A sidecar has to be found by its name in the network that the job's containers share, and only there."""
    if "network_mode" in entry:
        message = f"`{dotted(at)}`: a sidecar is in the network of its job; expected no `network_mode`"
        yield document.problem(at, message)


def _outside(document: Document, at: KeyPath, volumes: Any) -> Iterator[Problem]:
    """A path of the task's own must stay within the task's directory: nothing else is part of its key."""
    for index, volume in enumerate(volumes if isinstance(volumes, list) else ()):
        source = volume.get("source", "") if isinstance(volume, dict) else str(volume).partition(":")[0]
        if str(source).startswith(".") and normpath(str(source)).split("/")[0] == "..":
            message = f"`{dotted((*at, index))}`: `{source}` leaves the task's directory"
            yield document.problem((*at, index), message)


def _variables(document: Document, at: KeyPath, given: Any) -> Iterator[Problem]:
    """A service need not be a shell: dots and dashes are fine there (`discovery.type`), what splits a name is not."""
    pairs = list(given) if isinstance(given, dict) else []
    if isinstance(given, list):
        pairs = [item.partition("=")[0] for item in given if isinstance(item, str) and "=" in item]
    for index, name in enumerate(pairs):
        if not name or "=" in name or not name.isprintable() or " " in name:
            path = (*at, name) if isinstance(given, dict) else (*at, index)
            yield document.problem(path, f"`{dotted(at)}`: {name!r} is no name of an environment variable")


def _unknown(document: Document, at: KeyPath, entry: dict[str, Any]) -> Iterator[Problem]:
    for key in entry:
        known = key in SidecarShape.model_fields or key in COMPOSE_KEYS or key == "network_mode"
        if not known and not key.startswith("x-"):
            hint = did_you_mean(key, [*SidecarShape.model_fields, *COMPOSE_KEYS])
            message = f"`{dotted((*at, key))}` is no key of a Compose service{hint}"
            yield document.problem((*at, key), message, warning=True)
