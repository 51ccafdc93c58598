"""Fixtures of the end-to-end tests: a fresh workspace each, and nothing of it left in the engine afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import local_models
from engines import CAN, SmallEngine, small_engine
from project import Project, containers_of, docker


@contextmanager
def fresh(root: Path) -> Iterator[Project]:
    """Give a fresh workspace; fail when a container of it is left, and leave nothing of it in the engine."""
    made = Project.make(root)
    yield made
    if not (made.root / ".benchrouter" / "id").exists():
        return
    left = containers_of(made.id)
    if left:
        docker("rm", "-f", "-v", *left)
    images = docker("images", "-q", "--filter", f"label=benchrouter.image.workspace={made.id}").split()
    if images:
        # Two suites on one engine share images of one key; one that the other uses now stays.
        subprocess.run(["docker", "rmi", "-f", *dict.fromkeys(images)], capture_output=True, check=False)
    assert not left, f"containers left behind: {left}"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A fresh workspace for one test."""
    with fresh(tmp_path / "workspace") as made:
        yield made


@pytest.fixture
def second_project(tmp_path: Path) -> Iterator[Project]:
    """Another fresh workspace beside the first."""
    with fresh(tmp_path / "second workspace") as made:
        yield made


@pytest.fixture(scope="module")
def lasting_project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """A workspace that all tests of a module share."""
    with fresh(tmp_path_factory.mktemp("lasting") / "workspace") as made:
        yield made


@pytest.fixture(scope="session")
def own_engine() -> Iterator[SmallEngine]:
    """An engine that a test may stop or fill, beside the one that all share."""
    if not CAN:
        pytest.skip("needs root and dockerd")
    with small_engine() as made:
        yield made


@pytest.fixture(scope="session")
def smollm2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The embedded model, installed for real; `local_models.lend` gives it to a workspace."""
    base = tmp_path_factory.getbasetemp()
    return local_models.installed_once(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base)
