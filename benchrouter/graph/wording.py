"""How a changed input is said to people: one line that names the file, variable, template or image."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum

from benchrouter.graph.inputs import DIRECTORY, EXECUTABLE, LINK

_LONGEST, _BEFORE = 60, 20


class Change(Enum):
    """What happened to an input."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


def say(
    path: tuple[str, ...], old: object, new: object, change: Change, where: Mapping[str, str], label: str
) -> str:
    """Say what happened to the input at a path of keys; `where` names directories as `differences` does."""
    kind, name = path[0], _shown(".".join(path[1:]))
    values = f": {_pair(old, new)}" if change is Change.CHANGED else ""
    if kind == "files":
        return _file(_join(where.get(label or "task", ""), name), str(old), str(new), change)
    if kind == "task":
        return f"{_join(where.get('task', ''), 'task.yaml')}: {name} {change.value}{values}"
    if kind == "epoch":
        return f"environment refreshed (epoch {new})"
    subjects = {
        "variables": f"variable {name}",
        "data": f"data volume {name}",
        "templates": f"template templates/{name}",
        "bases": f"base image {name}",
        "build_args": f"build argument {name}",
        "model": f"model {name or 'identity'}",
    }
    subject = subjects.get(kind, _shown(".".join(path)))
    # What stands for a whole file is a digest: it says nothing to a person.
    return f"{subject} {change.value}{'' if kind == 'templates' else values}"


def _shown(name: str) -> str:
    """Show a name on one line, whatever it holds."""
    return name if name.isprintable() else repr(name)[1:-1]


def _file(path: str, old: str, new: str, change: Change) -> str:
    if change is not Change.CHANGED:
        return f"{_noun(new if change is Change.ADDED else old)} {path} {change.value}"
    before, after = _noun(old), _noun(new)
    if before != after:
        return f"{path} changed from a {before} to a {after}"
    if after == "link":
        return f"link {path} changed: {_shown(old.removeprefix(LINK))} -> {_shown(new.removeprefix(LINK))}"
    if old.removesuffix(EXECUTABLE) == new.removesuffix(EXECUTABLE):
        return f"file {path}: exec bit {'set' if new.endswith(EXECUTABLE) else 'cleared'}"
    return f"file {path} changed"


def _noun(value: str) -> str:
    return "directory" if value == DIRECTORY else "link" if value.startswith(LINK) else "file"


def _join(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name


def _pair(old: object, new: object) -> str:
    """Show two values on one line; of long ones the part where they begin to differ."""
    before, after = _text(old), _text(new)
    if before == after:  # a number, and the text that spells it
        before, after = json.dumps(old), json.dumps(new)
    if max(len(before), len(after)) <= _LONGEST:
        return f"{before} -> {after}"
    same = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    return f"{_window(before, same)} -> {_window(after, same)}"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return json.dumps(value)
    plain = isinstance(value, str) and value.isprintable() and value != ""
    return str(value) if plain else repr(value)


def _window(text: str, at: int) -> str:
    start = max(0, at - _BEFORE) if len(text) > _LONGEST else 0
    cut = text[start : start + _LONGEST]
    return f"{'...' if start else ''}{cut}{'...' if start + _LONGEST < len(text) else ''}"
