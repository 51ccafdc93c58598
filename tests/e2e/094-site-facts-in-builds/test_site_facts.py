"""CA bundle, proxies, package index and build network reach builds and jobs, and are in no layer of the image."""

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
from servers import Heard, make_certificates, package_index, recording_proxy

from benchrouter.engine.docker_cli import find_cli

PROXY_USER, PROXY_PASSWORD = "proxyuser", "QWZXKJVQWXZKJ"
INDEX_USER, INDEX_TOKEN = "indexuser", "ZQKXJWVZQKXJW"
SECRETS = {"PROXY_PASSWORD": PROXY_PASSWORD, "INDEX_TOKEN": INDEX_TOKEN}
SETTINGS = """
site:
  ca_bundle: ca.pem
  proxies:
    http: "http://proxyuser:${{PROXY_PASSWORD}}@{proxy}"
    no_proxy: "127.0.0.1,localhost"
  pip_index_url: "https://indexuser:${{INDEX_TOKEN}}@{index}/simple"
  build_network: host
"""
THROUGH = "python3 -c \"import urllib.request as u; print(u.urlopen('http://nowhere.invalid/%s').read())\""
TRUSTED = "python3 -c \"import urllib.request as u; print(u.urlopen('https://%s/hello').read())\""
BASE = "benchrouter-bootstrap/python:3.12-slim"
SCORE = """echo '{"overall": 0.5}' >"$BENCHROUTER_OUTPUT_DIR/result.json" """


@pytest.fixture
def site(project: Project, tmp_path: Path) -> Iterator[tuple[Project, Heard, Heard]]:
    """A workspace in a lab with a CA, a proxy and an index of its own, all with passwords; and what these heard."""
    bundle = make_certificates(tmp_path / "certificates")
    (project.root / "ca.pem").write_bytes(bundle.read_bytes())
    proxies, indexes = f"{PROXY_USER}:{PROXY_PASSWORD}", f"{INDEX_USER}:{INDEX_TOKEN}"
    with recording_proxy(proxies) as proxy, package_index(tmp_path / "certificates", indexes) as index:
        project.write("benchrouter.yaml", SETTINGS.format(proxy=proxy.url, index=index.url))
        project.environment.update(SECRETS)
        yield project, proxy, index


needs_buildkit = pytest.mark.skipif(find_cli({"PATH": "/usr/local/bin:/usr/bin:/bin"})[0] is None, reason="no BuildKit")


@needs_buildkit
def test_the_site_reaches_build_and_job_and_is_in_no_layer(site: tuple[Project, Heard, Heard]) -> None:
    """Install a package through the index and the CA, fetch through the proxy, then look at the image's every byte."""
    project, proxy, index = site
    never_cached = f": {token_hex(8)}"
    dockerfile = f"""
        FROM python:3.12-slim AS first
        RUN {never_cached}; {THROUGH % "first"} && env | sort >/dev/null
        FROM python:3.12-slim
        RUN {never_cached}; pip install --no-cache-dir --disable-pip-version-check canarypackage
        RUN {THROUGH % "build"} && {TRUSTED % index.url}
        COPY --from=first /etc/hostname /copied
    """
    script = f"python3 -c 'import canarypackage'\n{THROUGH % 'job'} && {TRUSTED % index.url} || exit 9\n{SCORE}"
    project.benchmark("b", {"t": script}, dockerfile=dockerfile)
    canary = Canary(*SECRETS.values())
    with canary.watched(project) as seen:
        done = project.run(status=None)
    assert done.status == 0, done.text
    assert not [each for each in seen if each.startswith("process")]
    for part in ("first", "build", "job"):
        assert ("GET", f"http://nowhere.invalid/{part}", f"{PROXY_USER}:{PROXY_PASSWORD}") in proxy.requests
    assert ("GET", "/files/canarypackage-1.0-py3-none-any.whl", f"{INDEX_USER}:{INDEX_TOKEN}") in index.requests
    assert not canary.found_in(done.text.encode())
    assert not canary.below(project.root)
    facts = [PROXY_USER, INDEX_USER, *certificate_lines(project.root / "ca.pem")]
    check_image(tag_of(project), canary, [text.encode() for text in facts])


@needs_buildkit
def test_a_build_that_fails_shows_no_password(site: tuple[Project, Heard, Heard]) -> None:
    """Fail in a build that prints its environment and its configuration files."""
    project, _, _ = site
    spill = "env; cat /dev/benchrouter/*; echo $http_proxy >&2; pip config list -v; exit 7"
    project.benchmark("b", {"t": SCORE}, dockerfile=f"FROM python:3.12-slim\nRUN : {token_hex(8)}; {spill}\n")
    canary = Canary(*SECRETS.values())
    done = project.run(status=1)
    assert set(project.job_states().values()) == {"FAILED image_build"}
    assert "***" in done.text
    assert not canary.found_in(done.text.encode())
    assert not canary.below(project.root)


def test_a_password_without_buildkit_is_a_configuration_error(site: tuple[Project, Heard, Heard]) -> None:
    """Take all capable clients away: nothing is built, nothing is run, exit 2, and the message says what to do."""
    project, proxy, _ = site
    project.benchmark("b", {"t": SCORE}, dockerfile="FROM python:3.12-slim\nRUN echo built >/built\n")
    done = project.run(status=None, env={"PATH": "/nonexistent"})
    assert done.status == 2, done.text
    assert "only BuildKit can keep it out of images" in done.err and "docker-buildx" in done.err
    assert not proxy.requests
    assert not images_of(project)
    assert not project.failures() and not project.artifacts()


def test_a_ca_bundle_that_is_not_there_is_a_configuration_error(project: Project) -> None:
    """Name a file that does not exist: exit 2 before anything is built or run."""
    project.write("benchrouter.yaml", "site: {ca_bundle: nowhere.pem}\n")
    project.benchmark("b", {"t": SCORE})
    done = project.run(status=2)
    assert "site.ca_bundle" in done.err and "nowhere.pem: No such file" in done.err
    assert not images_of(project) and not project.failures()


def test_a_site_without_passwords_needs_no_buildkit(project: Project) -> None:
    """Take all capable clients away from a site that has proxies and an index, and no password in them."""
    with recording_proxy("") as proxy:
        settings = SETTINGS.format(proxy=proxy.url, index="127.0.0.1:9").replace("proxyuser:${PROXY_PASSWORD}@", "")
        settings = settings.replace("indexuser:${INDEX_TOKEN}@", "").replace("  ca_bundle: ca.pem\n", "")
        project.write("benchrouter.yaml", settings)
        never_cached = f": {token_hex(8)}"
        text = f"FROM python:3.12-slim\nRUN {never_cached}; {THROUGH % 'classic'} >/said\n"
        project.benchmark("b", {"t": SCORE}, dockerfile=text)
        project.run(env={"PATH": "/nonexistent"})
        assert proxy.asked("http://nowhere.invalid/classic")
    check_image(tag_of(project), Canary("QQQQQQQQ"), [proxy.url.encode()])


@pytest.mark.parametrize(
    ("feature", "text"),
    [
        ("`RUN --mount`", "FROM python:3.12-slim\nRUN --mount=type=cache,target=/x echo hello\n"),
        ("heredoc", "FROM python:3.12-slim\nRUN <<END\necho hello\nEND\n"),
        ("`# syntax=", "# syntax=docker/dockerfile:1\nFROM python:3.12-slim\nRUN echo hello\n"),
    ],
)
def test_what_needs_buildkit_is_refused_before_a_build(project: Project, feature: str, text: str) -> None:
    """Take all capable clients away: exactly the jobs on that image fail; the message names feature and remedy."""
    project.benchmark("b", {"t": SCORE}, dockerfile=text)
    project.benchmark("plain", {"t": SCORE}, dockerfile="FROM python:3.12-slim\n")
    done = project.run(status=1, env={"PATH": "/nonexistent"})
    assert project.job_states() == {"b/t": "FAILED image_build", "plain/t": "COMPLETED"}
    assert f"{feature}" in done.out, done.out
    assert "needs BuildKit, but there is no docker client on PATH; install a docker client" in done.out
    assert "hello" not in done.out


def check_image(tag: str, canary: Canary, absent: list[bytes]) -> None:
    """Search an image's history, configuration and every layer: names and contents."""
    told = docker("history", "--no-trunc", tag) + docker("image", "inspect", tag)
    look(told.encode(), f"{tag}: history and configuration", canary, absent)
    saved = subprocess.run(["docker", "save", tag], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(saved)) as image:
        layers = json.load(image.extractfile("manifest.json"))[0]["Layers"]  # type: ignore[arg-type]
        base = len(json.loads(docker("image", "inspect", BASE))[0]["RootFS"]["Layers"])
        assert len(layers) > base
        for layer in layers[base:]:
            check_layer(image.extractfile(layer), canary, absent)


def check_layer(packed: Any, canary: Canary, absent: list[bytes]) -> None:
    """Search one layer."""
    with tarfile.open(fileobj=packed) as layer:
        for member in layer:
            assert "benchrouter" not in member.name and not member.name.startswith("dev/"), member.name
            look(f"{member.name} {member.linkname}".encode(), member.name, canary, absent)
            if member.isfile():
                look(layer.extractfile(member).read(), member.name, canary, absent)  # type: ignore[union-attr]


def look(data: bytes, where: str, canary: Canary, absent: list[bytes]) -> None:
    """Fail when some bytes hold a secret or another fact of the site."""
    found = canary.found_in(data) or next((text.decode() for text in absent if text in data), "")
    assert not found, f"{where}: {found}"


def certificate_lines(bundle: Path) -> list[str]:
    """Give lines that nothing but this certificate holds."""
    return [line for line in bundle.read_text().splitlines() if not line.startswith("-")][3:8]


def tag_of(project: Project) -> str:
    """Name the one image of a workspace."""
    return images_of(project)[0]


def images_of(project: Project) -> list[str]:
    """List the images that a workspace built."""
    if not (project.root / ".benchrouter" / "id").exists():
        return []
    label = f"label=benchrouter.image.workspace={project.id}"
    return docker("images", "--format", "{{.Repository}}:{{.Tag}}", "--filter", label).split()
