"""A disk that runs full, the workspace's or the engine's: `disk`, never a score, and the next run goes on."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from engines import MEGABYTES, SmallEngine
from project import SCORE, Project, containers_of, wait_until
from verdicts import Case, check_cases, document, write_cases

GOOD = SCORE % 0.5
SETTINGS = "site: {limits: {free_disk: %s, log_bytes: 200M}}\n"


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """Mount a small file system of its own, from a file."""
    disk, place = tmp_path / "disk", tmp_path / "place"
    place.mkdir()
    with disk.open("wb") as file:
        file.truncate(48 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", "-m", "0", str(disk)], check=True)
    if subprocess.run(["mount", "-o", "loop", str(disk), str(place)], capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.mark.own_engine
def test_workspace_on_a_disk_that_runs_full(small: Path) -> None:
    """Output, log and a copy of the output that do not fit; each leaves room for the next."""
    project = Project.make(small / "workspace")
    (project.root / "benchrouter.yaml").write_text(SETTINGS % "4M")
    fill = 'head -c 200M /dev/zero >"$BENCHROUTER_OUTPUT_DIR/big"'
    cases = [
        Case("output", f"echo begun; {fill} || exit 1; {GOOD}", "disk"),
        Case("careless-output", f"{fill}; {GOOD}", "disk"),
        Case("twice", f'head -c 28M /dev/zero >"$BENCHROUTER_OUTPUT_DIR/big"; {GOOD}', "disk"),
        Case("log", f"echo begun; yes 'a line that comes again and again' | head -c 200M; {GOOD}", "disk"),
        Case("modest", GOOD, "COMPLETED 0.5"),
    ]
    write_cases(project, "b", cases)
    done = project.run("-n", "1", status=1)
    check_cases(project, done, "b", cases)
    scored = project.aggregate("b")
    assert (scored["overall"], scored["overall_failures_as_zero"]) == (0.5, 0.5), scored
    assert scored["coverage"] == {"completed": 1, "declared": 5}
    assert all(document(path / "job.json")["reason"] == "disk" for path in project.failures())
    assert list((project.root / "cache/attempts").glob("*/*")) == []

    filler = project.root / "filler"
    with filler.open("wb") as file:
        try:
            while True:
                file.write(bytes(1 << 16))
                file.flush()
        except OSError:
            pass
    full = project.run("-n", "1", status=1)
    assert "FAILED disk" in full.out and "Traceback" not in full.text, full.text
    filler.unlink()
    for case in cases[:-1]:
        project.write(f"benchmarks/b/{case.name}/run.sh", GOOD)
    done = project.run()
    assert len(project.ran(done)) == 4 and project.aggregate("b")["coverage"] == {"completed": 5, "declared": 5}
    assert containers_of(project.id) == []


@pytest.mark.own_engine
def test_engine_on_a_disk_that_runs_full(own_engine: SmallEngine, tmp_path: Path) -> None:
    """A task that fills its container, an image that does not fit: their jobs end `disk`, others complete."""
    project = own_engine.workspace(tmp_path / "workspace", SETTINGS % "32M")
    images = own_engine.docker("images", "-aq")
    cases = [
        Case("container", f"head -c 2G /dev/zero >/fill || exit 1; {GOOD}", "disk"),
        Case("modest", GOOD, "COMPLETED 0.5"),
    ]
    write_cases(project, "b", cases)
    done = project.run("bench=b", "-n", "1", status=1)
    check_cases(project, done, "b", cases)
    assert project.aggregate("b")["overall_failures_as_zero"] == 0.5
    assert own_engine.docker("ps", "-aq") == []

    project.benchmark("c", {"t": GOOD, "u": GOOD}, dockerfile="FROM debian:bookworm-slim\nCOPY big /\n")
    with (project.root / "benchmarks/c/environments/c/big").open("wb") as file:
        file.truncate(MEGABYTES * 2 // 5 << 20)  # fits once, when it is sent, but not twice
    built = project.run("bench=c", status=1)
    assert project.ran(built) == []
    assert project.job_states() == {"c/t": "FAILED disk", "c/u": "FAILED disk"}, built.text
    assert project.aggregate("c")["overall"] is None and project.aggregate("c")["overall_failures_as_zero"] is None
    names = own_engine.docker("images", "-a", "--format", "{{.Repository}}")
    assert "benchrouter/c-c" not in names and "<none>" not in names, names

    assert "no space left on device (`docker system df` shows what fills the engine's disk)" in built.out
    own_engine.docker("builder", "prune", "--all", "--force")  # BuildKit keeps what it was sent: not ours to remove
    wait_until(lambda: shutil.disk_usage(own_engine.own.data).free > 100 << 20)
    with (project.root / "benchmarks/c/environments/c/big").open("wb") as file:
        file.write(b"small")
    project.write("benchmarks/b/container/run.sh", GOOD)
    done = project.run()
    assert sorted(project.ran(done)) == ["b/container@m", "c/t@m", "c/u@m"]
    assert len(own_engine.docker("images", "-aq")) >= len(images)
