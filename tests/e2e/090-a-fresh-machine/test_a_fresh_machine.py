"""A fresh clone on a bare Debian with no engine, no Python, no registry: the README's first command does it all."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from machine import CAN, Machine, clone, fresh_machine
from project import docker

REPOSITORY = Path(__file__).parents[3]
FIRST_COMMAND = ("./doitw", "--with-engine", "run", "model=demo")
LONGEST = 420.0  # about 5 minutes when the machine is ours alone
SCORES = {
    "hello": {"capitals": 0.8, "arithmetic": 0.875, "opposites": 0.875, None: 0.85},
    "humaneval": {
        "problems-000-040": 33 / 41,
        "problems-041-081": 33 / 41,
        "problems-082-122": 33 / 41,
        "problems-123-163": 33 / 41,
        None: 33 / 41,
    },
}
SYSTEMS = ("debian:bookworm-slim", "benchrouter-bootstrap/debian:bookworm-slim")
WHERE = Path("/root/clone")
pytestmark = [pytest.mark.own_engine, pytest.mark.skipif(not CAN, reason="needs root, ip, iptables")]


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    """A machine with the least Debian; the bridge of the shared engine is as it was afterwards."""
    named = docker("images", "--format", "{{.Repository}}:{{.Tag}}").split()
    system = next((image for image in SYSTEMS if image in named), None)
    if system is None:
        pytest.skip(f"needs one of the images {', '.join(SYSTEMS)}")
    before = bridge()
    with ExitStack() as stack:
        try:
            made = stack.enter_context(fresh_machine(system))
        except subprocess.CalledProcessError as error:
            pytest.skip(f"this machine cannot hold another: {error}")
        if made.run("getent", "hosts", "deb.debian.org", cwd=Path("/")).status != 0:
            pytest.skip("a machine within this one has no way out")
        yield made
    assert bridge() == before


def test_the_first_command_ends_with_the_known_scores_and_the_second_at_once(machine: Machine) -> None:
    """Clone, type the README's first command, look at the scores; type it again, and nothing runs."""
    assert " ".join(FIRST_COMMAND) in (REPOSITORY / "README.md").read_text()
    root = machine.root / WHERE.relative_to("/")
    clone(REPOSITORY, root)
    assert not (root / ".venv").exists() and not (root / "results").exists()
    cloned = {str(path.relative_to(root)) for path in root.rglob("*")}
    bare = machine.run("sh", "-c", "! command -v docker && ! command -v python3", cwd=WHERE)
    assert bare.status == 0, bare.text
    began = time.monotonic()
    done = machine.run(*FIRST_COMMAND, cwd=WHERE, deadline=LONGEST)
    seconds = time.monotonic() - began
    print(f"the first command took {seconds:.0f} s")
    assert done.status == 0, done.text
    assert scores(root) == SCORES
    assert "overall 0.8500 · coverage 3/3 · COMPLETED" in done.out
    assert "overall 0.8049 · coverage 4/4 · COMPLETED" in done.out
    assert "stand-in from Debian packages" in done.out
    check_that_nothing_shows_in_git(root, cloned)
    began = time.monotonic()
    again = machine.run(*FIRST_COMMAND, cwd=WHERE)
    assert again.status == 0, again.text
    assert " started" not in again.out
    assert "overall 0.8500 · coverage 3/3 · COMPLETED" in again.out
    print(f"the second took {time.monotonic() - began:.1f} s")


def test_two_calls_at_once_start_one_engine(machine: Machine) -> None:
    """Stop the engine, take a result away, call twice at once: one engine is started, one job runs, once."""
    root = machine.root / WHERE.relative_to("/")
    if not (root / "results").exists():
        pytest.skip("the first command did not run")
    stop = "kill $(cat /run/docker.pid); while [ -e /run/docker.pid ]; do sleep 0.1; done"
    assert machine.run("sh", "-c", stop, cwd=WHERE, deadline=60).status == 0
    shutil.rmtree(root / "results/hello/demo/capitals")
    both = [machine.start(*FIRST_COMMAND, cwd=WHERE) for _ in range(2)]
    done = [(*process.communicate(timeout=120), process.returncode) for process in both]
    assert [status for _, _, status in done] == [0, 0], done
    assert len(list((root / "results/hello/demo/capitals").glob("*/result.json"))) == 1
    assert not (root / "results/hello/demo/capitals/failed").exists()
    assert scores(root) == SCORES
    engines = machine.run("sh", "-c", "readlink /proc/[0-9]*/exe | grep '/dockerd$'", cwd=WHERE)
    assert len(engines.out.splitlines()) == 1, engines.out


def scores(root: Path) -> dict[str, dict[str | None, float]]:
    """Read the scores from the artifacts: of each task, and under None of the benchmark."""
    found: dict[str, dict[str | None, float]] = {}
    for path in (root / "results").glob("*/demo/*/*/result.json"):
        result = json.loads(path.read_text())
        found.setdefault(result["benchmark_name"], {})[result["task_name"]] = result["overall"]
    for name, of in found.items():
        of[None] = json.loads((root / "results" / name / "demo" / "aggregate.json").read_text())["overall"]
    return found


def check_that_nothing_shows_in_git(root: Path, cloned: set[str]) -> None:
    """See that all that a run makes is ignored by git, the machine's own aliases above all."""
    assert (root / "benchrouter.local.yaml").exists()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    status = ["git", "status", "--porcelain", "--untracked-files=all"]
    shown = subprocess.run(status, cwd=root, capture_output=True, text=True, check=True).stdout
    shutil.rmtree(root / ".git")
    new = {line[3:].strip('"') for line in shown.splitlines()} - cloned
    assert not new, f"not ignored by git: {sorted(new)[:10]}"


def bridge() -> list[str]:
    """Describe the shared engine's bridge: a bridge made anew has another number (its MAC changes with its ports)."""
    shown = subprocess.run(["ip", "-o", "addr", "show", "docker0"], capture_output=True, text=True, check=False)
    return [" ".join(line.split()[:4]) for line in shown.stdout.splitlines()]
