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


def test_a_file_that_is_cut_off_was_not_named_nor_a_broken_entry_listed(project: Project) -> None:
    """And neither is an image that can be used."""
    whole = Small(("a", "b"), (NAME,)).archive()
    for name, data in (("cut.tar", whole[: len(whole) // 2]), ("bad.tar", b"x" * 5000)):
        (project.root / name).write_bytes(data)
        done = project.doit("image", "import", name)
        assert done.status == 2 and done.err.startswith(f"doit: {name}: not an archive"), done.text
    (project.root / "file.tar").write_bytes(whole)
    assert project.doit("image", "import", "file.tar").status == 0
    images = project.root / "cache/images"
    next((images / "layers").glob("*.zst")).unlink()
    (images / "entries/x.json").write_text("{")
    listed = project.doit("image", "list").out.splitlines()
    assert listed[0] == f"{NAME}  broken: 1 of 2 layers are missing or torn; it counts as missing"
    assert listed[1] == f"{images}/entries/x.json  broken: no entry of an image, or torn; it counts as missing"
    assert len(listed) == 3


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
