"""docs/cli.md and docs/json.md against the command itself: every command, every kind of object, its fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from benchrouter.faces.app import app
from tests.unit.faces.workspaces import benchrouter, small_workspace

REPOSITORY = Path(__file__).parents[3]
CLI = (REPOSITORY / "docs" / "cli.md").read_text()
JSON = (REPOSITORY / "docs" / "json.md").read_text()
ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
FIELDS = {
    kind: set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)|: .*", "", fields))) for kind, _, fields in ROW.findall(JSON)
}


def commands(group: Any = None, path: str = "benchrouter") -> Iterator[tuple[str, Any]]:
    """Give every command there is, by all its words."""
    for name, command in (group or typer.main.get_command(app)).commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


ALL = dict(commands())


@pytest.mark.parametrize("path", ALL)
def test_every_command_is_told_and_has_json(path: str) -> None:
    """It has a row in the page, and the option that all have; its purpose fits in the line of a list."""
    assert len(ALL[path].get_short_help_str(limit=200)) <= 60
    assert f"| `{path}` |" in CLI
    options = {word for parameter in ALL[path].params for word in parameter.opts}
    assert "--json" in options


def test_the_page_names_no_command_or_option_that_is_not_there() -> None:
    """Rows of commands that went, options that were renamed."""
    assert set(re.findall(r"^\| `(benchrouter [a-z -]+)` \|", CLI, re.MULTILINE)) == ALL.keys()
    known = {word for command in ALL.values() for parameter in command.params for word in
             (*parameter.opts, *parameter.secondary_opts)}  # fmt: skip
    assert set(re.findall(r"`(--[a-z-]+)", CLI)) <= known


def test_every_kind_of_object_is_told() -> None:
    """What the sources print, and nothing else."""
    sources = [path.read_text() for path in (REPOSITORY / "benchrouter" / "faces").glob("*.py")]
    printed = {kind for text in sources for kind in re.findall(r"\bemit\(\s*\"(\w+)\"", text)}
    assert FIELDS.keys() == printed | {"run", "event", "error"}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with an environment of its own."""
    root = small_workspace(tmp_path / "w")
    (root / "environments" / "e").mkdir(parents=True)
    (root / "environments" / "e" / "Dockerfile").write_text("FROM scratch\n")
    return root


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("error", "plan nothing -m demo"),
        ("plan", "plan -m demo"),
        ("explanation", "explain job:* -m demo"),
        ("graph", "graph -m demo"),
        ("benchmarks", "benchmark list"),
        ("benchmark", "benchmark show b"),
        ("benchmark_made", "benchmark new made"),
        ("benchmark_registered", "benchmark register benchmarks/b --replace"),
        ("benchmark_deleted", "benchmark delete b"),
        ("validation", "benchmark validate b"),
        ("environments", "env list"),
        ("environment_registered", "env register --name f --path benchmarks/b/environments/b"),
        ("environment_deleted", "env delete e"),
        ("models", "models list"),
        ("models_checked", "models check demo"),
        ("model_installed", "models install demo"),
        ("images", "image list"),
        ("cache", "cache list"),
        ("cleaned", "clean --dry-run"),
        ("evaluations", "eval list"),
        ("doctor", "doctor"),
        ("workspace", "init another"),
    ],
)
def test_an_object_has_the_fields_that_are_told(workspace: Path, kind: str, words: str) -> None:
    """All of them, and no other."""
    told = benchrouter(workspace, *words.split(), "--json").json
    assert told.pop("version") == 1 and told.pop("kind") == kind
    assert told.keys() == FIELDS[kind]
