"""A base from a real registry: mirrors, credentials by variable, patience with 429, the alias when nobody answers."""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
from leaks import Canary
from project import Project, docker
from servers import REGISTRY, Heard, gate, registry

pytestmark = pytest.mark.skipif(REGISTRY is None, reason="needs Debian's package docker-registry")
USER, PASSWORD = "VQQXZZJKVQ", "JZWQKXVQJZWXK/Q"  # shares no piece with the secrets of tests beside it
SETTINGS = """
site:
  registry_mirrors:
    docker.io: [{mirror}]
  registry_credentials:
    "{mirror}": {{username_env: MIRROR_USER, password_env: MIRROR_PASSWORD}}
"""
LOGIN = {"MIRROR_USER": USER, "MIRROR_PASSWORD": PASSWORD}
SCRIPT = """echo '{"overall": 0.5}' >"$BENCHROUTER_OUTPUT_DIR/result.json" """


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A registry that holds one small image: its address, and the name of the image there."""
    place = tmp_path_factory.mktemp("registry")
    name = f"canary-{token_hex(4)}"
    with registry(place / "registry", (USER, PASSWORD)) as address:
        there = f"{address}/library/{name}:1"
        subprocess.run(["docker", "import", "-", there], input=small_tree(), capture_output=True, check=True)
        config = ["docker", "--config", str(place / "config")]
        words = [*config, "login", "-u", USER, "--password-stdin", address]
        subprocess.run(words, input=PASSWORD, text=True, capture_output=True, check=True)
        subprocess.run([*config, "push", "-q", there], capture_output=True, check=True)
        docker("rmi", there)
        yield address, f"{name}:1"


@pytest.fixture
def base(upstream: tuple[str, str]) -> Iterator[str]:
    """The name of the image; it is in no engine before and after."""
    yield upstream[1]
    subprocess.run(["docker", "rmi", "-f", upstream[1]], capture_output=True, check=False)


def test_a_mirror_that_says_429_first_gives_the_base(project: Project, upstream: tuple[str, str], base: str) -> None:
    """Pull through a mirror that wants a login and is busy twice; the password is in nothing that we wrote."""
    canary = Canary(USER, PASSWORD)
    with gate(upstream[0], [429, 429, 503]) as (mirror, heard), canary.watched(project) as seen:
        done = on(project, base, SETTINGS.format(mirror=mirror), env=LOGIN)
    assert done.status == 0, done.text
    assert not seen
    assert (f"{USER}:{PASSWORD}") in {given for _, _, given in heard.asked("/manifests/")}
    used = provenance_of_base(project, base)
    assert (used["used"], used["from"]) == (base, "registry")
    assert used["digests"] and used["digests"][0].startswith(f"{mirror}/library/{base.split(':')[0]}@sha256:")
    assert mirror not in docker("images", "--format", "{{.Repository}}")
    assert not canary.found_in(done.text.encode())
    assert not canary.below(project.root)


def test_credentials_not_set_or_wrong_are_named(project: Project, upstream: tuple[str, str], base: str) -> None:
    """Run without the variables, then with a wrong password: both times the message says so, and nothing waits."""
    with gate(upstream[0], []) as (mirror, heard):
        settings = SETTINGS.format(mirror=mirror)
        done = on(project, base, settings, env={"MIRROR_USER": USER})
        assert done.status == 1
        assert f"{mirror}: not asked: its credentials are not set: MIRROR_PASSWORD" in done.text
        assert set(project.job_states().values()) == {"FAILED image_missing"}
        wrong = "KWQXZJVQKXWZJ"
        done = on(project, base, settings, env={**LOGIN, "MIRROR_PASSWORD": wrong})
        assert done.status == 1
        assert "missing: " in done.text and "unauthorized" in done.text.lower() and mirror in done.text
        assert wrong not in done.text
        assert set(project.job_states().values()) == {"FAILED image_missing"}
        assert heard.asked("/v2/")
        assert on(project, base, settings, "strict=1", env={**LOGIN, "MIRROR_PASSWORD": wrong}).status != 0


def test_the_alias_serves_when_nobody_answers(project: Project, base: str) -> None:
    """Name a mirror that is gone and an alias that is there: the job runs, and its provenance names the alias."""
    local = project.root / "benchrouter.local.yaml"
    alias = "benchrouter-bootstrap/debian:bookworm-slim"
    local.write_text(f'site:\n  image_aliases:\n    "{base}": "{alias}"\n')
    done = on(project, base, "site: {registry_mirrors: {docker.io: [127.0.0.1:9]}}\n")
    assert done.status == 0, done.text
    used = provenance_of_base(project, base)
    assert (used["used"], used["from"]) == (alias, "alias")
    assert (project.root / "benchmarks/b/environments/b/Dockerfile").read_text() == f"FROM {base}\n"


def test_what_the_engine_has_is_not_asked_for(project: Project, upstream: tuple[str, str], base: str) -> None:
    """Have the base in the engine: no mirror is asked, no credential needed."""
    docker("tag", "benchrouter-bootstrap/debian:bookworm-slim", base)
    with gate(upstream[0], []) as (mirror, heard):
        done = on(project, base, SETTINGS.format(mirror=mirror))
        assert done.status == 0, done.text
        assert heard == Heard()
    assert provenance_of_base(project, base)["from"] == "engine"


def on(project: Project, base: str, settings: str, *words: str, env: dict[str, str] | None = None) -> Any:
    """Run one task on a base under some settings."""
    project.benchmark("b", {"t": SCRIPT}, dockerfile=f"FROM {base}\n")
    project.write("benchrouter.yaml", settings)
    return project.run(*words, status=None, env=env)


def provenance_of_base(project: Project, base: str) -> dict[str, Any]:
    """Read from the newest artifact what a base really was."""
    provenance = json.loads((project.artifacts()[0] / "provenance.json").read_text())
    found = [value[base] for value in provenance.values() if isinstance(value, dict) and base in value]
    assert found, provenance
    return dict(found[0])


def small_tree() -> bytes:
    """Pack this machine's shell and what it needs: the smallest image that can run a task."""
    shell = Path("/bin/sh").resolve()
    listed = subprocess.run(["ldd", shell], capture_output=True, text=True, check=True).stdout
    files = {"bin/sh": shell} | {
        word.lstrip("/"): Path(word).resolve() for word in listed.split() if word.startswith("/")
    }
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, path in files.items():
            tar.add(path, arcname=name)
    return packed.getvalue()
