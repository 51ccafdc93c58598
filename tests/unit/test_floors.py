"""The floors of the house: each imports only floors below it (design, section 8)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import benchrouter

PACKAGE = Path(benchrouter.__file__).parent
ORDER = ("spec", "keys", "store", "models", "graph", "engine", "jobs", "scores", "make", "faces")
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE)


def imported(path: Path) -> Iterator[str]:
    """Give every module that a file imports, at its top or inside functions, by full name."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def floor_of(path: Path) -> str:
    """Name the floor that a file stands on."""
    return path.relative_to(PACKAGE).parts[0]


def test_every_directory_is_a_floor() -> None:
    """A new directory has to find its place in the order."""
    assert {floor_of(path) for path in MODULES} <= {*ORDER, "sdk"}


@pytest.mark.parametrize("floor", ORDER)
def test_a_floor_imports_only_those_below(floor: str) -> None:
    """The order holds, for imports inside functions too."""
    allowed = {*ORDER[: ORDER.index(floor) + 1]}
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path in MODULES
        if floor_of(path) == floor
        for name in imported(path)
        if name.startswith("benchrouter.") and name.split(".")[1] in {*ORDER, "sdk"} - allowed
    ]
    assert not wrong


def test_the_sdk_stands_alone() -> None:
    """It is mounted into containers: the standard library and itself, nothing else."""
    import sys

    for path in MODULES:
        if floor_of(path) == "sdk":
            for name in imported(path):
                ours = name == "benchrouter" or name.startswith("benchrouter.sdk")
                assert ours or name.split(".")[0] in sys.stdlib_module_names | {"__future__"}, f"{path}: {name}"


@pytest.mark.parametrize(("library", "floors"), [("docker", {"engine"}), ("doit", {"make"})])
def test_a_library_has_one_floor(library: str, floors: set[str]) -> None:
    """Only engine/ talks to Docker, only make/ knows doit."""
    users = {floor_of(path) for path in MODULES if any(n.split(".")[0] == library for n in imported(path))}
    assert users <= floors


@pytest.mark.parametrize(
    "module",
    ["benchrouter.make.recipes", "benchrouter.make.commands.run", "benchrouter.graph.build", "benchrouter.faces.app"],
)
def test_slow_libraries_are_imported_late(module: str) -> None:
    """Help, list and an up-to-date run pay for none of them."""
    import subprocess
    import sys

    slow = ("docker", "jinja2", "rich", "pydantic", "yaml", "requests", "psutil")
    code = f"import sys, {module}; print([n for n in {slow!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.strip() == "[]"


def test_help_imports_neither_doit_nor_the_graph() -> None:
    """`benchrouter --help` appears at once."""
    import subprocess
    import sys

    slow = ("doit", "benchrouter.make.session", "benchrouter.graph", "benchrouter.engine", "benchrouter.scores")
    faces = "benchrouter.faces.app, benchrouter.faces.ending"
    code = f"import sys, {faces}; print([n for n in {slow!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.strip() == "[]"
