"""What is wrong in `sidecars:` that single values do not show; found whatever else is wrong in the file."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath
from typing import Any

from benchrouter.spec.names import did_you_mean
from benchrouter.spec.problems import Problem
from benchrouter.spec.shapes import dotted
from benchrouter.spec.sidecar_keys import KNOWN, OURS, REFUSED, WITHOUT_EFFECT, bound_path, files_of, passes
from benchrouter.spec.sidecar_memory import memory_faults
from benchrouter.spec.yamlfile import Document, KeyPath

_VOLUMES = ("bind", "volume", "tmpfs")


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
        yield from _volumes(document, (*at, "volumes"), entry.get("volumes"))
        yield from _files(document, at, entry)
        yield from _variables(document, (*at, "environment"), entry.get("environment"))
        yield from _keys(document, at, entry)


def _called(at: KeyPath, name: Any) -> str:
    return f"sidecar `{name}`" if isinstance(name, str) else f"`{dotted(at)}`"


def _depends_on(document: Document, at: KeyPath, given: Any, every: list[str]) -> Iterator[Problem]:
    for index, name in enumerate(given if isinstance(given, list | dict) else ()):
        if name not in every:
            path = (*at, name) if isinstance(given, dict) else (*at, index)
            message = f"`{dotted(at)}`: there is no sidecar `{name}`{did_you_mean(str(name), every)}"
            yield document.problem(path, message)


def _volumes(document: Document, at: KeyPath, volumes: Any) -> Iterator[Problem]:
    """A path of the task's own must stay within the task's directory; one of the host's is shown in a plan."""
    for index, volume in enumerate(volumes if isinstance(volumes, list) else ()):
        source, kind = bound_path(volume), volume.get("type") if isinstance(volume, dict) else "bind"
        if kind not in _VOLUMES:
            message = f"`{dotted((*at, index))}`: found `type: {kind}`, expected `bind`, `volume` or `tmpfs`"
            yield document.problem((*at, index), message)
        elif not source.startswith(("/", "~")) and _leaves(source):
            yield document.problem((*at, index), f"`{dotted((*at, index))}`: `{source}` leaves the task's directory")


def _files(document: Document, at: KeyPath, entry: dict[str, Any]) -> Iterator[Problem]:
    """What Compose reads must be the task's: nothing else is part of its key."""
    for path, file in files_of(entry):
        where = (*at, *path)
        if file.startswith(("/", "~")):
            message = f"`{dotted(where)}`: `{file}` is on this machine; expected a path in the task's directory"
            yield document.problem(where, message)
        elif _leaves(file):
            yield document.problem(where, f"`{dotted(where)}`: `{file}` leaves the task's directory")


def _leaves(path: str) -> bool:
    return normpath(path).split("/")[0] == ".."


def _variables(document: Document, at: KeyPath, given: Any) -> Iterator[Problem]:
    """A service need not be a shell: dots and dashes are fine there (`discovery.type`), what splits a name is not."""
    pairs = list(given) if isinstance(given, dict) else []
    if isinstance(given, list):
        pairs = [item.partition("=")[0] for item in given if isinstance(item, str) and "=" in item]
    for index, name in enumerate(pairs):
        if not name or "=" in name or not name.isprintable() or " " in name:
            path = (*at, name) if isinstance(given, dict) else (*at, index)
            yield document.problem(path, f"`{dotted(at)}`: {name!r} is no name of an environment variable")


def _keys(document: Document, at: KeyPath, entry: dict[str, Any]) -> Iterator[Problem]:
    for key, value in entry.items():
        where = (*at, key)
        if key in REFUSED and value:
            yield document.problem(where, f"`{dotted(where)}`: {REFUSED[key]}; expected no `{key}`")
        elif key in WITHOUT_EFFECT:
            yield document.problem(where, f"`{dotted(where)}` has no effect beside a task", warning=True)
        elif key not in OURS and key not in REFUSED and not passes(key):
            hint = did_you_mean(key, [*OURS, *KNOWN])
            message = f"`{dotted(where)}` is no key of a Compose service, and is left out{hint}"
            yield document.problem(where, message, warning=True)
