"""Fixtures of the end-to-end tests: a fresh workspace each, and nothing of it left in the engine afterwards."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from project import Project, containers_of, docker


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A fresh workspace; the test fails when a container of it is left."""
    made = Project.make(tmp_path / "workspace")
    yield made
    if not (made.root / ".benchrouter" / "id").exists():
        return
    left = containers_of(made.id)
    if left:
        docker("rm", "-f", "-v", *left)
    images = docker("images", "-q", "--filter", f"label=benchrouter.image.workspace={made.id}").split()
    if images:
        docker("rmi", "-f", *dict.fromkeys(images))
    assert not left, f"containers left behind: {left}"
