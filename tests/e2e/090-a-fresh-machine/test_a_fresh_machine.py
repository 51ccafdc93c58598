"""A fresh clone on a bare Debian with no engine, no Python, no registry: the README's first command does it all."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
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
pytestmark = [pytest.mark.own_engine, pytest.mark.skipif(not CAN, reason="needs root, dockerd, ip, iptables")]


SYSTEMS = ("debian:bookworm-slim", "benchrouter-bootstrap/debian:bookworm-slim")
HOME = {"HOME": "/root", "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
WHERE = Path("/root/clone")


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    """A machine with the least Debian; the bridge of the shared engine is as it was afterwards."""
    named = docker("images", "--format", "{{.Repository}}:{{.Tag}}").split()
    system = next((image for image in SYSTEMS if image in named), None)
    if system is None:
        pytest.skip(f"needs one of the images {', '.join(SYSTEMS)}")
    before = bridge()
    with fresh_machine(system) as made:
        yield made
    assert bridge() == before


def test_the_first_command_ends_with_the_known_scores_and_the_second_at_once(machine: Machine) -> None:
    """Clone, type the README's first command, look at the scores; type it again, and nothing runs."""
    assert " ".join(FIRST_COMMAND) in (REPOSITORY / "README.md").read_text()
    root = machine.place / "system" / WHERE.relative_to("/")
    clone(REPOSITORY, root)
    assert not (root / ".venv").exists() and not (root / "results").exists()
    bare = machine.run("sh", "-c", "! command -v docker && ! command -v python3", cwd=WHERE, env=HOME)
    assert bare.status == 0, bare.text
    began = time.monotonic()
    done = machine.run(*FIRST_COMMAND, cwd=WHERE, env=HOME, deadline=LONGEST)
    seconds = time.monotonic() - began
    print(f"the first command took {seconds:.0f} s")
    assert done.status == 0, done.text
    assert scores(root) == SCORES
    assert "overall 0.8500 · coverage 3/3 · COMPLETED" in done.out
    assert "overall 0.8049 · coverage 4/4 · COMPLETED" in done.out
    assert "stand-in from Debian packages" in done.out
    check_that_nothing_shows_in_git(root)
    began = time.monotonic()
    again = machine.run(*FIRST_COMMAND, cwd=WHERE, env=HOME)
    assert again.status == 0, again.text
    assert " started" not in again.out
    assert "overall 0.8500 · coverage 3/3 · COMPLETED" in again.out
    print(f"the second took {time.monotonic() - began:.1f} s")


def scores(root: Path) -> dict[str, dict[str | None, float]]:
    """Read the scores from the artifacts: of each task, and under None of the benchmark."""
    found: dict[str, dict[str | None, float]] = {}
    for path in (root / "results").glob("*/demo/*/*/result.json"):
        result = json.loads(path.read_text())
        found.setdefault(result["benchmark_name"], {})[result["task_name"]] = result["overall"]
    for name, of in found.items():
        of[None] = json.loads((root / "results" / name / "demo" / "aggregate.json").read_text())["overall"]
    return found


def check_that_nothing_shows_in_git(root: Path) -> None:
    """See that all that a run makes is ignored by git, the machine's own aliases above all."""
    assert (root / "benchrouter.local.yaml").exists()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    status = ["git", "status", "--porcelain", "--untracked-files=all"]
    shown = subprocess.run(status, cwd=root, capture_output=True, text=True, check=True).stdout
    tracked = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    new = {line[3:].strip('"') for line in shown.splitlines()} - set(tracked.stdout.splitlines())
    subprocess.run(["rm", "-rf", os.fspath(root / ".git")], check=True)
    assert not new - {".git"}, f"not ignored by git: {sorted(new)[:10]}"


def bridge() -> str:
    """Describe the shared engine's bridge."""
    shown = subprocess.run(["ip", "addr", "show", "docker0"], capture_output=True, text=True, check=False).stdout
    return "\n".join(line for line in shown.splitlines() if "inet" in line or "link" in line)
