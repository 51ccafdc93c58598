"""The shipped benchmarks with services and daemons in a workspace of a test."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from project import REPOSITORY, Done, Project, docker

LONG = 1500.0
"""Seconds for a run that builds its images, in a machine that does other things."""


def ship(project: Project, names: Iterable[str]) -> None:
    """Copy benchmarks into the workspace, and get stand-ins for the bases that no registry gives."""
    names = tuple(names)
    for name in names:
        source, target = (root / "benchmarks" / name for root in (REPOSITORY, project.root))
        shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    done = project.doit("bootstrap-image", "--missing", f"bench={','.join(names)}", deadline=LONG)
    assert done.status == 0, done.text


def ask_demo(project: Project, *words: str, status: int = 0) -> Done:
    """Run benchmarks with the demo model."""
    done = project.doit("run", "model=demo", *words, deadline=LONG)
    assert done.status == status, f"exit {done.status}, expected {status}\n{done.text}"
    return done


def results(project: Project, benchmark: str) -> dict[str, dict[str, Any]]:
    """Read the result of each task that completed."""
    found = {}
    for path in project.artifacts(benchmark, model="demo"):
        result = json.loads((path / "result.json").read_text())
        found[str(result["task_name"])] = result
    return found


def scores(project: Project, benchmark: str) -> dict[str, float]:
    """Read the score of each task that completed."""
    return {task: result["overall"] for task, result in results(project, benchmark).items()}


def image_of(project: Project, label: str) -> str:
    """Build an environment's image, or find it where another workspace has built the same; give its name."""
    built = project.doit("run", f"image:{label}", deadline=LONG)
    assert built.status == 0, built.text
    named = re.search(r"tag +(\S+)", project.doit("explain", f"image:{label}").out)
    assert named is not None
    return named[1]


def provenance(artifact: Path) -> dict[str, Any]:
    """Read what may differ between two runs."""
    return dict(json.loads((artifact / "provenance.json").read_text()))


def check_nothing_left(project: Project) -> None:
    """See that no container, network, volume, attempt or mount of the workspace is left."""
    label = f"label=benchrouter.workspace={project.id}"
    for kind, words in (
        ("containers", ("ps", "-aq")),
        ("networks", ("network", "ls", "-q")),
        ("volumes", ("volume", "ls", "-q")),
    ):
        assert not docker(*words, "--filter", label).split(), f"{kind} are left"
    assert not list((project.root / "cache" / "attempts").glob("*"))
    assert str(project.root) not in Path("/proc/mounts").read_text()
