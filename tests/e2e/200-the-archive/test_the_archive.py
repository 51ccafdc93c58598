"""`doit image` and what a run does with the archive, through the command line and by hand."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex

import pytest
from project import SCORE, Project, docker, wait_until

sys.path.append(str(Path(__file__).parents[2] / "unit" / "engine"))

from archive.images import Small, tar_of

pytestmark = pytest.mark.engine


@pytest.fixture
def name() -> Iterator[str]:
    """A name in the engine that is free, and is free again afterwards."""
    made = f"benchrouter.test/archive-{token_hex(4)}:1"
    yield made
    subprocess.run(["docker", "rmi", "-f", made], capture_output=True, check=False)


def entries(project: Project) -> dict[str, str]:
    """Map the references of the archive to image ids."""
    found = (json.loads(path.read_text()) for path in (project.root / "cache/images/entries").glob("*.json"))
    return {entry["reference"]: entry["image_id"] for entry in found}


def export(project: Project, reference: str) -> tuple[Path, int]:
    """Export an image to a file, as a shell would."""
    out = project.root / "out.tar"
    with out.open("wb") as file:
        command = ["doit", "image", "export", reference]
        done = subprocess.run(
            command, cwd=project.root, env=project.full_environment(), stdout=file, stderr=subprocess.PIPE, check=False
        )
    return out, done.returncode


def leftovers(project: Project) -> list[str]:
    """List half-written files."""
    return [path.name for path in (project.root / "cache/images").rglob(".*")]


def test_a_file_goes_in_and_a_plain_archive_comes_out(project: Project, name: str) -> None:
    """Another `docker load` takes it, and the image is the same; the file may be compressed, or come by a pipe."""
    source = project.root / "image.tar"
    source.write_bytes(Small(("a", "b"), (name,)).archive())
    done = project.doit("image", "import", "image.tar")
    assert (done.status, done.out.split()[0]) == (0, name), done.text
    assert export(project, f"docker.io/{name}")[1] == 2, "docker.io/benchrouter.test/… is another image"
    out, status = export(project, name)
    assert status == 0
    assert "Loaded image" in docker("load", "-i", str(out))
    assert docker("inspect", "-f", "{{.Id}}", name).strip() == entries(project)[name]
    listed = project.doit("image", "list")
    assert listed.out.startswith(f"{name}  {entries(project)[name].removeprefix('sha256:')[:12]}  linux/amd64")


def test_an_image_of_the_engine_is_exported_too(project: Project, name: str) -> None:
    """It passes through the archive, so that a second time is cheap."""
    source = project.root / "image.tar"
    source.write_bytes(Small(("a", "b"), (name,)).archive())
    docker("load", "-i", str(source))
    for _ in range(2):
        done = subprocess.run(
            f"doit image export {name} | tar t", cwd=project.root, env=project.full_environment(), shell=True,
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert "manifest.json" in done.stdout.split()
        assert len([line for line in done.stdout.split() if line.endswith("layer.tar")]) == 2


def test_what_cannot_be_imported_or_exported_is_said(project: Project) -> None:
    """One line each, and nothing is left of it."""
    (project.root / "odd").write_bytes(b"not an archive" * 1000)
    (project.root / "cut").write_bytes(Small(("a", "b")).archive()[:5000])
    (project.root / "two").write_bytes(tar_of(Small(("a",), ()).members()))
    cases = {
        ("import", "odd"): (2, "docker save"),
        ("import", "cut"): (2, "cut off"),
        ("import", "nowhere"): (2, "nowhere: No such file"),
        ("import",): (2, "expected export REF"),
        ("export", "no/such:image"): (2, "neither in the archive nor in the engine"),
        ("exprot", "x"): (2, "did you mean `export`?"),
        (): (2, "doit run image"),
    }
    for words, (status, said) in cases.items():
        done = project.doit("image", *words)
        assert (done.status, said in done.err) == (status, True), (words, done)
        assert done.out == ""
    assert entries(project) == {}
    assert leftovers(project) == []
    unnamed = project.doit("image", "import", "two")
    assert unnamed.out.startswith("sha256:")
    assert project.doit("image", "import", "two", "my/own").out.startswith("my/own:latest")


def test_with_cache_every_image_is_kept_and_none_is_built_again(project: Project) -> None:
    """Not without it; and not a second time."""
    project.benchmark("b", {"t": SCORE % "1"}, dockerfile=f"FROM debian:bookworm-slim\nRUN echo {token_hex(8)} >/x\n")
    assert "tar:" not in project.run(env={"CI": ""}).out
    shutil.rmtree(project.root / "results")
    done = project.run("cache=1")
    assert "tar:b/b started" in done.out
    (tag,) = (reference for reference in entries(project) if reference.startswith("benchrouter/b-b:"))
    assert any("debian:bookworm-slim" in reference for reference in entries(project))
    docker("rmi", tag)
    shutil.rmtree(project.root / "results")
    plan = project.doit("plan", "model=m", "cache=1")
    assert "0 of 1 to build" in plan.out
    assert "from the archive" in plan.out
    assert "archive: 0 of 2 images to save" in plan.out
    again = project.run(env={"CI": "true"})
    assert "image:b/b: from the archive" in again.out
    assert "tar:" not in again.out
    assert docker("inspect", "-f", "{{.Id}}", tag).strip() == entries(project)[tag]
    explained = project.doit("explain", "tar:b/b", "model=m", "cache=1")
    assert tag in explained.out
    assert project.doit("clean").status == 0
    assert not (project.root / "cache/images").exists()


def test_the_archive_keeps_within_its_size_but_for_what_the_run_needs(project: Project) -> None:
    """What another run needed goes, what this one needs stays, and is said to be too much."""
    (project.root / "old.tar").write_bytes(Small(("old",), ("old:1",)).archive())
    project.doit("image", "import", "old.tar")
    assert "old:1" in entries(project)
    project.benchmark("b", {"t": SCORE % "1"})
    project.write("benchrouter.yaml", "cache: {max_size: 1m, images: true}\n")
    done = project.run()
    assert "dropped from the image archive for space: old:1" in done.out
    assert "more than cache.max_size: this run needs all of it" in done.out
    assert "old:1" not in entries(project)
    assert len(entries(project)) == 2


def test_killed_while_it_saves(project: Project) -> None:
    """The next run saves again; what it finds is whole or missing."""
    project.benchmark("b", {"t": SCORE % "1"})
    process = project.start("run", "model=m", "preflight=0", "cache=1")
    assert process.stdout is not None
    for line in process.stdout:
        if line.rstrip().endswith("debian:bookworm-slim started") and "tar:" in line:
            break
    wait_until(lambda: bool(leftovers(project)) or process.poll() is not None)
    time.sleep(0.2)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    project.run("cache=1")
    assert len(entries(project)) == 2
    for reference in entries(project):
        assert export(project, reference)[1] == 0


def test_superseded_images_go_with_the_stale(project: Project) -> None:
    """The present key's image stays, and so does what is of no environment of this workspace."""
    (project.root / "other.tar").write_bytes(Small(("other",), ("other:1",)).archive())
    project.doit("image", "import", "other.tar")
    project.benchmark("b", {"t": SCORE % "1"}, dockerfile="FROM debian:bookworm-slim\nRUN echo 1 >/x\n")
    project.run("cache=1")
    old = {reference for reference in entries(project) if "b-b:" in reference}
    project.write("benchmarks/b/environments/b/Dockerfile", "FROM debian:bookworm-slim\nRUN echo 2 >/x\n")
    project.run("cache=1")
    done = project.doit("clean", "stale=1", "model=m")
    assert f"removed archived image {old.copy().pop()}" in done.out, done.text
    left = set(entries(project))
    assert "other:1" in left
    assert not old & left
    assert len([reference for reference in left if "b-b:" in reference]) == 1


def test_a_named_job_gets_only_what_it_needs(project: Project) -> None:
    """Its image is there, so its base is not looked for; it is archived all the same."""
    project.benchmark("b", {"t": SCORE % "1"}, dockerfile=f"FROM debian:bookworm-slim\nRUN echo {token_hex(8)} >/x\n")
    project.run()
    shutil.rmtree(project.root / "results")
    done = project.run("job:b/t@m", "cache=1")
    assert "base:" not in done.out.replace("tar:", "")
    assert [reference.partition(":")[0] for reference in entries(project) if "b-b" in reference] == ["benchrouter/b-b"]


def test_two_runs_at_once(project: Project) -> None:
    """Both save; the archive is whole, and each layer in it once."""
    environments = {"one": "RUN echo 1 >/one\n", "two": "RUN echo 2 >/two\n"}
    project.benchmark("b", {"t": SCORE % "1", "u": SCORE % "1"}, dockerfile=None)
    project.write(
        "benchmarks/b/benchmark.yaml",
        "name: b\ntasks:\n  - {name: t, environment: one}\n  - {name: u, environment: two}\n",
    )
    for environment, text in environments.items():
        project.write(f"benchmarks/b/environments/{environment}/Dockerfile", f"FROM debian:bookworm-slim\n{text}")
    runs = [
        project.start("run", "model=m", "preflight=0", "cache=1", f"tasks={task}") for task in ("t", "u")
    ]
    for run in runs:
        out, err = run.communicate(timeout=120)
        assert run.returncode == 0, out + err
    assert len(entries(project)) == 3
    assert len(list((project.root / "cache/images/layers").glob("*.tar.zst"))) == 3
    assert leftovers(project) == []
