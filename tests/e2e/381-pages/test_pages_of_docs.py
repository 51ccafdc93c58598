"""The other pages with commands: they are typed, and say what the page shows. The picture of reruns is the graph."""

from __future__ import annotations

import re
import shutil
from html import unescape
from pathlib import Path

import pytest
from project import REPOSITORY, Project
from typed import follow

ELSEWHERE = {"bring-your-benchmark", "getting-started"}
WITH_COMMANDS = tuple(
    path
    for path in sorted((REPOSITORY / "docs").glob("*.md"))
    if "```console" in path.read_text(encoding="utf-8") and path.stem not in ELSEWHERE
)


@pytest.mark.parametrize("path", WITH_COMMANDS, ids=lambda path: path.stem)
def test_the_commands_of_a_page_say_what_it_shows(project: Project, path: Path) -> None:
    follow(project, path)


def test_the_picture_of_reruns_is_the_graph_of_hello(project: Project) -> None:
    shutil.copytree(REPOSITORY / "benchmarks" / "hello", project.root / "benchmarks" / "hello", symlinks=True)
    graph = project.doit("graph", "model=demo", "bench=hello", "full=1", "format=dot").out
    labels = dict(re.findall(r'(n\d+) \[label="([^"]+)"\]', graph))
    edges = {(labels[one], labels[other]) for one, other in re.findall(r"(n\d+) -> (n\d+);", graph)}
    pictures = REPOSITORY / "docs" / "pictures"
    drawn = re.findall(r'"([^"]+)" -> "([^"]+)"', (pictures / "reruns.dot").read_text())
    assert edges and set(drawn) == edges
    shown = re.findall(r"<text [^>]*>([^<]+)</text>", (pictures / "reruns.svg").read_text())
    assert {unescape(text) for text in shown} == set(labels.values())
