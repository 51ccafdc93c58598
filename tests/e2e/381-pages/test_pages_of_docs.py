"""Pages of the documentation, read as a person would: their commands are typed, and say what the page shows."""

from __future__ import annotations

import re
import shutil
from html import unescape
from pathlib import Path

import pytest
from pages import Page, Shell
from project import REPOSITORY, Project

SHIPPED = {path.parent.name for path in (REPOSITORY / "benchmarks").glob("*/benchmark.yaml")}
WITH_COMMANDS = tuple(
    path
    for path in [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
    if "```console" in path.read_text(encoding="utf-8") and path.stem != "bring-your-benchmark"
)


@pytest.mark.parametrize("path", WITH_COMMANDS, ids=lambda path: path.stem)
def test_the_commands_of_a_page_say_what_it_shows(project: Project, path: Path) -> None:
    page = Page.read(path)
    page.write(project.root)
    for name in SHIPPED & {word for command in page.commands for word in re.findall(r"[\w-]+", command.text)}:
        shutil.copytree(REPOSITORY / "benchmarks" / name, project.root / "benchmarks" / name, symlinks=True)
    with Shell(project.root, project.full_environment()) as shell:
        page.check(shell)
    for made in project.root.glob("*/dodo.py"):  # a workspace that the page makes
        assert Project(made.parent).doit("clean").status == 0


def test_the_picture_of_reruns_is_the_graph_of_hello(lasting_project: Project) -> None:
    shutil.copytree(REPOSITORY / "benchmarks" / "hello", lasting_project.root / "benchmarks" / "hello", symlinks=True)
    graph = lasting_project.doit("graph", "model=demo", "bench=hello", "full=1", "format=dot").out
    labels = dict(re.findall(r'(n\d+) \[label="([^"]+)"\]', graph))
    edges = {(labels[one], labels[other]) for one, other in re.findall(r"(n\d+) -> (n\d+);", graph)}
    pictures = REPOSITORY / "docs" / "pictures"
    drawn = re.findall(r'"([^"]+)" -> "([^"]+)"', (pictures / "reruns.dot").read_text())
    assert edges and set(drawn) == edges
    shown = re.findall(r"<text [^>]*>([^<]+)</text>", (pictures / "reruns.svg").read_text())
    assert {unescape(text) for text in shown} == set(labels.values())
