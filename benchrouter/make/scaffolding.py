"""New workspaces and benchmarks, from the files in `scaffold/`: `NAME` in paths and `@NAME@` in texts are replaced."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from enum import Enum
from pathlib import Path

from benchrouter.make.variables import UsageError
from benchrouter.make.workspace_files import write_workspace_files
from benchrouter.spec.names import component_fault
from benchrouter.spec.schemas import write_schemas
from benchrouter.store.atomic import make_dirs, publish_dir
from benchrouter.store.workspace import Workspace

SCAFFOLD = Path(__file__).parent / "scaffold"
_SUFFIX = ".tmpl"
_SCHEMA_PLACES = ("schemas", "docs/schemas")


class Flavour(Enum):
    """Kinds of new benchmarks; the value is the directory of its files."""

    SIMPLE = "simple"
    SIDECAR = "sidecar"
    DIND = "dind"
    BRIDGE = "bridge"


def make_workspace(root: Path, benchmark: str) -> list[Path]:
    """Make a workspace with one benchmark in a directory, which may be there; what is there is left as it is.

    Raise UsageError when it is a workspace already, or a file of ours would replace one of the person's.
    """
    refuse_name(benchmark)
    if (root / "dodo.py").exists():
        raise UsageError(f"{root}: a dodo.py is there already; `benchrouter benchmark new NAME` adds a benchmark")
    if root.exists() and not root.is_dir():
        raise UsageError(f"{root}: not a directory")
    root.mkdir(parents=True, exist_ok=True)
    files = _files("workspace", {"NAME": benchmark, "SCHEMAS": "schemas"})
    made = [root / path for path, text in files.items() if _write_new(root / path, text)]
    write_schemas(root / "schemas")
    ws = Workspace(root)
    if not (ws.benchmarks / benchmark).exists():
        make_benchmark(ws, benchmark, Flavour.SIMPLE)
    write_workspace_files(root)  # last: from here on it is a workspace, and a whole one
    return [*made, root / "schemas", ws.benchmarks / benchmark, root / "dodo.py", root / "doit.cfg"]


def make_benchmark(ws: Workspace, name: str, flavour: Flavour) -> Path:
    """Write a new benchmark into the workspace, whole or not at all; raise UsageError when the name is taken."""
    refuse_name(name)
    target = ws.benchmarks / name
    if os.path.lexists(target):
        raise UsageError(f"{target} is there already; choose another name")
    make_dirs(ws.benchmarks)
    staging = ws.id_file.parent / f"new-{secrets.token_hex(6)}"
    try:
        for path, text in _files(flavour.value, {"NAME": name, "SCHEMAS": "@SCHEMAS@"}).items():
            schemas = os.path.relpath(_schemas(ws), (target / path).parent)
            _write_new(staging / path, text.replace("@SCHEMAS@", schemas))
        if not publish_dir(staging, target, valid=lambda _: True):
            raise UsageError(f"{target} is there already; choose another name")
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return target


def refuse_name(name: str) -> None:
    """Raise UsageError for what cannot be the name of a benchmark."""
    fault = component_fault(name)
    if fault:
        raise UsageError(f"{name!r} cannot be a benchmark's name: {fault}")


def _schemas(ws: Workspace) -> Path:
    there = [ws.root / place for place in _SCHEMA_PLACES if (ws.root / place).is_dir()]
    if there:
        return there[0]
    write_schemas(ws.root / _SCHEMA_PLACES[0])
    return ws.root / _SCHEMA_PLACES[0]


def _files(kind: str, words: Mapping[str, str]) -> dict[Path, str]:
    """Give the files of a kind, by their paths, with words replaced."""
    root, found = SCAFFOLD / kind, {}
    for path in sorted(root.rglob(f"*{_SUFFIX}")):
        parts = [words["NAME"] if part == "NAME" else part for part in path.relative_to(root).parts]
        name = parts.pop().removesuffix(_SUFFIX)
        text = path.read_text("utf-8")
        for word, value in words.items():
            text = text.replace(f"@{word}@", value)
        found[Path(*parts, ".gitignore" if name == "gitignore" else name)] = text
    return found


def _write_new(path: Path, text: str) -> bool:
    """Write a file unless there is one; tell whether it was written."""
    if os.path.lexists(path):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return True

