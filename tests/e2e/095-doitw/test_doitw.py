"""The wrapper: from anywhere, through links, twice at once, after a move, and where no Python can make environments."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from machine import clone, plain_environment
from project import Done

REPOSITORY = Path(__file__).parents[3]
QUICK = {"PIP_NO_COMPILE": "no"}  # in the words of pip: what is never imported need not be compiled


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory with a fresh clone in it, under a name with a space and a quote."""
    made = tmp_path_factory.mktemp("doitw")
    clone(REPOSITORY, made / "a clone's place")
    yield made
    shutil.rmtree(made)


def test_two_first_calls_at_once_make_one_environment(place: Path) -> None:
    """Start two; both end well, one environment is made, once."""
    root = place / "a clone's place"
    both = [start(root / "doitw", "help", cwd=root) for _ in range(2)]
    done = [ended(process) for process in both]
    assert [each.status for each in done] == [0, 0], done
    assert all("doit run" in each.out for each in done)
    assert sum(each.err.count("doitw: making ") for each in done) == 1, done


def test_a_call_from_elsewhere_through_links_finds_the_workspace_and_makes_nothing(place: Path) -> None:
    """Call it by a link to a link, from another directory: same workspace, in about a second; paths are from here."""
    root, elsewhere = place / "a clone's place", place / "elsewhere"
    (elsewhere / "bin").mkdir(parents=True)
    (elsewhere / "bin" / "one").symlink_to("../../a clone's place/doitw")
    (elsewhere / "router").symlink_to(elsewhere / "bin" / "one")
    began = time.monotonic()
    done = call(elsewhere / "router", "list", "--all", "model=demo", cwd=elsewhere)
    assert (done.status, done.err) == (0, ""), done
    assert "job:hello/capitals@demo" in done.out
    assert time.monotonic() - began < 5
    shutil.copytree(root / "benchmarks" / "hello", elsewhere / "greeting")
    (elsewhere / "greeting" / "benchmark.yaml").write_text("name: greeting\ntasks: [{name: capitals}]\n")
    shutil.copytree(elsewhere / "greeting/environments/hello", elsewhere / "greeting/environments/greeting")
    named = call(elsewhere / "router", "plan", "model=demo", "bench=./greeting", cwd=elsewhere)
    assert named.status == 0 and "job:greeting/capitals@demo" in named.out, named
    assert sorted(path.name for path in elsewhere.iterdir()) == ["bin", "greeting", "router"]
    on_path = {"PATH": f"{elsewhere}{os.pathsep}{plain_environment()['PATH']}"}
    assert call("router", "help", cwd=place, env=on_path).status == 0


def test_status_and_odd_arguments_come_through(place: Path) -> None:
    """Hand over a mistake, and an argument with blanks and quotes."""
    root = place / "a clone's place"
    assert call(root / "doitw", "run", cwd=root).status == 2
    done = call(root / "doitw", "plan", "model=demo", "NOTE=it's  \"odd\" $HOME *", cwd=root)
    assert done.status == 0, done


def test_a_moved_checkout_gets_a_fresh_environment(place: Path) -> None:
    """Move the checkout: its environment names the old place and is made anew, without a word about that place."""
    moved = place / "moved"
    (place / "a clone's place").rename(moved)
    need_little(moved)
    done = call(moved / "doitw", "list", cwd=place)
    assert done.status == 0, done
    assert done.err.count("doitw: making ") == 1
    script = (moved / ".venv" / "bin" / "doit").read_text()
    assert "a clone's place" not in script
    again = call(moved / "doitw", "list", cwd=place)
    assert (again.status, again.err) == (0, "")


def test_a_python_that_went_away_is_noticed(place: Path) -> None:
    """Break the environment's Python, as an upgrade of the system does: it is made anew."""
    moved = place / "moved"
    for path in (moved / ".venv" / "bin").glob("python*"):
        path.unlink()
        path.symlink_to("/nonexistent/python")
    done = call(moved / "doitw", "help", cwd=moved)
    assert done.status == 0, done
    assert done.err.count("doitw: making ") == 1


@pytest.mark.parametrize("kind", ["none", "old", "without venv"])
def test_without_a_python_that_will_do_the_message_says_what_to_install(tmp_path: Path, kind: str) -> None:
    """Call a fresh clone where no Python, an old one, or one without venv is on PATH."""
    clone(REPOSITORY, tmp_path / "clone")
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("sh", "cat", "cksum", "dirname", "id", "readlink", "env"):
        (tools / tool).symlink_to(shutil.which(tool) or "")
    if kind != "none":
        # What each of them says to a program that asks for what it lacks.
        says = "exit 1" if kind == "old" else "echo no module named venv >&2; exit 1"
        (tools / "python3").write_text(f"#!/bin/sh\n{says}\n")
        (tools / "python3").chmod(0o755)
    done = call(tmp_path / "clone" / "doitw", "help", cwd=tmp_path, env={"PATH": str(tools)})
    assert done.status == 2, done
    assert "no Python of 3.11 or newer with venv found" in done.err
    assert "apt install python3 python3-venv" in done.err and "PYTHON" in done.err
    assert len(done.err.splitlines()) == 1, done.err
    assert not (tmp_path / "clone" / ".venv").exists()


def need_little(root: Path) -> None:
    """Let an environment that is made anew hold what `list` and `help` need: the rest takes half of the time."""
    project = root / "pyproject.toml"
    text, few = project.read_text(), 'dependencies = ["doit>=0.37,<0.38", "PyYAML", "xxhash", "pydantic"]\n'
    project.write_text(re.sub(r"^dependencies = \[.*?^\]\n", few, text, count=1, flags=re.DOTALL | re.MULTILINE))
    assert few in project.read_text()


def start(program: Path | str, *words: str, cwd: Path, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
    """Start the wrapper as a person would, in an environment that is not ours."""
    return subprocess.Popen(
        [str(program), *words],
        cwd=cwd,
        env={**plain_environment(), **QUICK, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> Done:
    """Wait for its end."""
    out, err = process.communicate(timeout=300)
    return Done(process.returncode, out, err)


def call(program: Path | str, *words: str, cwd: Path, env: dict[str, str] | None = None) -> Done:
    """Run the wrapper to its end."""
    return ended(start(program, *words, cwd=cwd, env=env))
