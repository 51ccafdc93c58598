"""Images that a task's own daemon is to have: handed around as a file, or to be had from nobody."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from own_daemons import daemons
from project import SCORE, Project, docker

sys.path.append(str(Path(__file__).parents[2] / "unit" / "engine"))

from archive.images import Small

pytestmark = pytest.mark.engine
NAME = "handed.around/in-a-file:1"


def test_imported_and_named_it_is_there(project: Project) -> None:
    """In the task's daemon, under its name; the host's engine never has it."""
    (project.root / "file.tar").write_bytes(Small(("a", "b"), (NAME,)).archive())
    assert project.doit("image", "import", "file.tar").status == 0
    daemons(project, {"t": f"docker image inspect {NAME} >/dev/null && {SCORE % 1}"}, f"docker_images: [{NAME!r}]\n")
    plan = project.doit("plan", "model=m").out
    assert f"base:{NAME}  from the archive  (named by tasks)" in plan
    done = project.run(deadline=400)
    assert "missing" not in done.out
    assert f"base:{NAME}" not in done.out
    assert docker("images", "-q", NAME) == ""
    assert "own daemon" in plan or "Docker daemon" in plan


def test_what_nobody_has_is_listed_before_anything_starts(project: Project) -> None:
    """Its jobs end `image_missing`, the others run; strict=1 refuses to start."""
    ref = "nobody.invalid/has:this"
    project.benchmark("b", {"t": SCORE % "1"}, task_yaml=f"docker: true\ndocker_images: [{ref!r}]\n")
    project.benchmark("c", {"t": SCORE % "1"})
    strict = project.run("strict=1", status=1)
    assert f"missing: {ref} for b/t" in strict.out
    assert " started" not in strict.out
    done = project.run(status=1)
    said = done.out.splitlines()
    missing = next(n for n, line in enumerate(said) if f"missing: {ref} for b/t" in line)
    started = next(n for n, line in enumerate(said) if line.endswith(" started"))
    assert missing < started
    assert project.job_states() == {"b/t": "FAILED image_missing", "c/t": "COMPLETED"}
    assert ref in done.text
