"""What a tab offers: every argument that names something of the workspace, completed by the command itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import typer

from benchrouter.faces.app import app
from tests.unit.faces.workspaces import benchrouter, small_workspace
from tests.unit.scores.shelf import Shelf

FREE = {
    ("bootstrap-image", "packages"), ("bootstrap-image", "suite"), ("benchmark new", "name"), ("init", "benchmark"),
    ("env register", "name"), ("image import", "name"), ("image import", "file"), ("cache prune", "max_size"),
}  # fmt: skip
"""Texts that name nothing which is there: new names, sizes, packages."""
EVERYWHERE = {"env"}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a benchmark, a group, an environment of its own, a declared model, and results of two."""
    root = small_workspace(tmp_path_factory.mktemp("tab") / "w")
    (root / "benchrouter.yaml").write_text("groups: {grp: [b]}\nmodels: {mine: {endpoint: 'http://x/v1'}}\n")
    (root / "benchmarks" / "c" / "three").mkdir(parents=True)
    (root / "benchmarks" / "c" / "three" / "task.yaml").touch()
    (root / "environments" / "shared").mkdir(parents=True)
    (root / "environments" / "shared" / "Dockerfile").write_text("FROM debian:bookworm-slim\n")
    shelf = Shelf(root / "results")
    shelf.add("openai/gpt-x", "one", [0, 1], benchmark="ran")
    shelf.settle()
    return root


def _offered(root: Path, words: str) -> list[str]:
    """Ask as bash does, for the last of the words."""
    line = f"benchrouter {words}"
    asked = {"_BENCHROUTER_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    return benchrouter(root, **asked).out.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("run ", ["b", "grp"]),
        ("plan g", ["grp"]),
        ("run b/", ["b/one", "b/two"]),
        ("run b,g", ["b,grp"]),
        ("compare r", ["ran"]),
        ("compare ran/", ["ran/one"]),
        ("export ", ["ran", "grp"]),
        ("report g", ["grp"]),
        ("export --model o", ["openai/gpt-x"]),
        ("run --model m", ["mine"]),
        ("run --tasks o", ["one"]),
        ("run b --tasks ", ["one", "two"]),
        ("run c --tasks ", ["three"]),
        ("run c,grp -t t", ["three"]),
        ("run --refresh ", ["b/b"]),
        ("run --node job:", ["job:b/one", "job:b/two", "job:c/three"]),
        ("explain im", ["image:b/b"]),
        ("explain job:b/one --bench ", ["b", "grp"]),
        ("logs ", ["ran/one"]),
        ("benchmark show ", ["b"]),
        ("benchmark delete b", ["b"]),
        ("env build s", ["shared"]),
        ("env delete ", ["shared"]),
        ("clean b", ["b/b"]),
        ("clean --bench g", ["grp"]),
        ("bootstrap-image d", ["debian:bookworm-slim"]),
        ("models check m", ["mine"]),
    ],
)
def test_a_tab_offered_nothing_where_a_name_is_wanted(root: Path, words: str, offered: list[str]) -> None:
    """BENCH of compare and export, groups, nodes, images, environments: only a few arguments had names."""
    assert _offered(root, words) == offered


def test_a_tab_outside_of_a_workspace_says_nothing(tmp_path: Path) -> None:
    """Neither names nor a message."""
    for words in ("run ", "compare ", "export --tasks ", "image export ", "bootstrap-image ", "eval status -r "):
        assert _offered(tmp_path, words) == []


def _texts(app: typer.Typer, path: str = "") -> Iterator[tuple[str, str, Any]]:
    """Find the parameters that are texts: command, name, what typer is told of it."""
    for group in app.registered_groups:
        assert group.typer_instance is not None
        yield from _texts(group.typer_instance, f"{group.name} ")
    for command in app.registered_commands:
        assert command.callback is not None
        name = path + str(command.name or command.callback.__name__)
        for parameter, hint in get_type_hints(command.callback, include_extras=True).items():
            kinds = {each for each in (get_args(hint) or [None])[:1] for each in (each, *get_args(each))}
            if kinds & {str, list[str]}:
                yield name, parameter, get_args(hint)[1]


def test_every_argument_that_is_a_name_is_completed() -> None:
    """A new one has to say how, or that it names nothing."""
    found = [*_texts(app)]
    assert len(found) > 30
    for command, parameter, told in found:
        if (command, parameter) not in FREE and parameter not in EVERYWHERE:
            assert told.autocompletion, f"{command}: {parameter} is not completed"
