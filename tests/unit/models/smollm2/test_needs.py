"""What the machine must have, and what is said where it lacks it."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchrouter.models.model import ModelError
from benchrouter.models.smollm2.needs import build_for, find_node, find_npm, unproven
from benchrouter.models.smollm2.worker import threads_for


def path_with(directory: Path, name: str, says: str) -> dict[str, str]:
    """Make a PATH on which one program prints one line."""
    directory.mkdir(exist_ok=True)
    program = directory / name
    program.write_text(f"#!/bin/sh\necho '{says}'\n")
    program.chmod(0o755)
    return {"PATH": str(directory)}


@pytest.mark.parametrize("name", ["node", "nodejs"])
def test_node_is_found_by_either_name(tmp_path: Path, name: str) -> None:
    node = find_node(path_with(tmp_path, name, "v18.0.0"))
    assert (node.path, node.version) == (str(tmp_path / name), "v18.0.0")


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        ("v16.20.2", "needs Node 18 or newer, found v16.20.2"),
        ("v9.0.0", "needs Node 18 or newer, found v9.0.0"),
        ("not node", "--version` says 'not node'"),
    ],
)
def test_an_older_node_is_named(tmp_path: Path, says: str, expected: str) -> None:
    with pytest.raises(ModelError, match="install Node 18 or newer") as refused:
        find_node(path_with(tmp_path, "node", says))
    assert expected in str(refused.value)


def test_without_node_or_npm(tmp_path: Path) -> None:
    for environ in ({"PATH": str(tmp_path)}, {}):
        with pytest.raises(ModelError, match="no `node` on PATH; install Node 18 or newer"):
            find_node(environ)
        with pytest.raises(ModelError, match="installing smollm2 needs npm"):
            find_npm(environ)


@pytest.mark.parametrize(
    ("system", "machine", "build"),
    [
        ("Linux", "x86_64", "linux-x64"),
        ("Linux", "aarch64", "linux-arm64"),
        ("Darwin", "arm64", "mac-arm64-metal"),
        ("Windows", "AMD64", "win-x64"),
    ],
)
def test_the_build_goes_by_the_machine(system: str, machine: str, build: str) -> None:
    assert build_for(system, machine) == build
    assert bool(unproven(build)) == (build != "linux-x64")


def test_a_machine_without_a_build_is_told_which_have_one() -> None:
    with pytest.raises(ModelError, match="no build for Linux on riscv64; there are builds for Linux on x86_64"):
        build_for("Linux", "riscv64")


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (2, 1), (3, 2), (4, 2), (64, 2)])
def test_one_core_stays_free_and_two_threads_are_the_most(cores: int, threads: int) -> None:
    assert threads_for(cores) == threads
