"""docs/bring-your-benchmark.md, followed to the letter: its four benchmarks, each command, and what it says."""

from __future__ import annotations

import json

from pages import Page, Shell
from project import REPOSITORY, Project, containers_of

PAGE = Page.read(REPOSITORY / "docs" / "bring-your-benchmark.md")
FIRST_WRONG = {"functions": "double", "stock": "oldest"}


def test_the_page_does_what_it_says(lasting_project: Project) -> None:
    PAGE.write(lasting_project.root)
    built = lasting_project.doit("run", "image:*")
    assert built.status == 0, built.text
    with Shell(lasting_project.root, lasting_project.full_environment()) as shell:
        PAGE.check(shell)
    assert {command.text.split("bench=")[-1] for command in PAGE.commands} >= {"colours", "functions", "quiz", "stock"}
    assert not containers_of(lasting_project.id)


def test_items_that_are_wrong_are_those_that_the_demo_model_gets_wrong(lasting_project: Project) -> None:
    """Of four items the first that is asked: so the answers stand in the order in which they are asked."""
    for name, wrong in FIRST_WRONG.items():
        (artifact,) = lasting_project.artifacts(name, model="demo")
        items = json.loads((artifact / "result.json").read_text())["raw_metrics"]["items"]
        assert [item["id"] for item in items if not item["score"]] == [wrong] == [items[0]["id"]]
        assert all(item["tokens"]["completion"] for item in items)
