"""Pages of the documentation, read as a person would: their commands are typed in a fresh workspace."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from pages import Page, Shell
from project import REPOSITORY, Project

SHIPPED = {path.parent.name for path in (REPOSITORY / "benchmarks").glob("*/benchmark.yaml")}


def follow(project: Project, path: Path) -> None:
    """Type a page's commands, with its files and the shipped benchmarks that they name; they say what it shows."""
    page = Page.read(path)
    page.write(project.root)
    for name in SHIPPED & {word for command in page.commands for word in re.findall(r"[\w-]+", command.text)}:
        shutil.copytree(REPOSITORY / "benchmarks" / name, project.root / "benchmarks" / name, symlinks=True)
    with Shell(project.root, project.full_environment()) as shell:
        page.check(shell)
    for made in project.root.glob("*/dodo.py"):  # a workspace that the page makes
        assert Project(made.parent).doit("clean").status == 0
