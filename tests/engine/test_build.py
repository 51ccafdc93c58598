"""Building images: by key, once, without traces of the site, and with nothing left behind."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from engine_bench import Bench

from benchrouter.engine.build import build
from benchrouter.engine.builders import find_builders
from benchrouter.engine.docker_cli import find_cli
from benchrouter.engine.errors import BuildCancelled, ImageBuildFailed
from benchrouter.engine.images import inspect_image
from benchrouter.engine.reaper import sweep
from benchrouter.spec.settings import Proxies, Site

BOTH = ["buildkit", "classic"]


@pytest.fixture(params=BOTH)
def builder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Build with BuildKit through a client, or as where no client can: by the engine's API."""
    if request.param == "classic":
        monkeypatch.setenv("PATH", "/nonexistent")
    elif find_cli(os.environ)[0] is None:
        pytest.skip("no docker client with BuildKit here")
    return str(request.param)


def shown(bench: Bench, image: str, script: str) -> str:
    """Run a script in an image and give what it printed."""
    bench.heard.stdout.clear()
    assert bench.shell(script, image=image).code == 0, bench.heard.stderr
    return bench.heard.stdout.decode()


@pytest.mark.usefixtures("builder")
def test_builds_what_is_listed_and_labels_the_result(on_engine: Bench, tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c/a").write_text("content")
    (tmp_path / "c/unlisted").write_text("x")
    text = "FROM base AS first\nRUN echo one >/one\nFROM base\nCOPY --from=first /one /one\nCOPY . /ctx\n"
    request = on_engine.request(text, tmp_path / "c", context_paths=("a", "Dockerfile"))
    before = (tmp_path / "c/Dockerfile").read_bytes()
    made = on_engine.build(request)
    assert (made.how, made.tag) == ("built", request.tag)
    assert shown(on_engine, made.tag, "ls -A /ctx | grep -v dockerignore; cat /one /ctx/a; stat -c %a /ctx/a") == (
        "Dockerfile\na\none\ncontent644\n"
    )
    assert (tmp_path / "c/Dockerfile").read_bytes() == before
    image = inspect_image(on_engine.engine, made.tag)
    assert image is not None
    assert image.labels["benchrouter.key"] == request.key
    assert on_engine.unnamed() == []


def test_one_build_per_key_and_another_name_is_just_a_name(on_engine: Bench, tmp_path: Path) -> None:
    first = on_engine.request("FROM base\nRUN echo x >/x\n", tmp_path / "c")
    made = on_engine.build(first)
    assert on_engine.build(first).how == "engine"
    twin = dataclasses.replace(first, tag=first.tag.replace("test-", "test-twin-"))
    on_engine.names.append(twin.tag)
    again = on_engine.build(twin)
    assert (again.how, again.id) == ("twin", made.id)


@pytest.mark.usefixtures("builder")
def test_a_failed_build_shows_its_end_and_leaves_nothing(on_engine: Bench, tmp_path: Path) -> None:
    request = on_engine.request("FROM base\nRUN echo the-last-words; exit 9\n", tmp_path / "c")
    with pytest.raises(ImageBuildFailed) as caught:
        on_engine.build(request)
    assert "the-last-words" in caught.value.tail
    assert inspect_image(on_engine.engine, request.tag) is None
    sweep(on_engine.engine, on_engine.workspace, on_engine.run)


def test_two_workspaces_that_build_one_key_leave_one_named_image(on_engine: Bench, tmp_path: Path) -> None:
    request = on_engine.request("FROM base\nRUN sleep 1; date +%N >/when\n", tmp_path / "c", no_cache=False)
    other = dataclasses.replace(request, workspace_id=f"{on_engine.workspace}-2", run_id=on_engine.run)
    made: list[str] = []

    def go(mine: object) -> None:
        made.append(build(on_engine.engine, mine, lambda _: None, threading.Event()).id)  # type: ignore[arg-type]

    threads = [threading.Thread(target=go, args=(each,)) for each in (request, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 2
    assert made[0] == made[1]
    wanted = {"label": [f"benchrouter.key={request.key}"]}
    assert len(on_engine.engine.api.images(filters=wanted)) == 1
    assert on_engine.containers() == []


def test_what_needs_buildkit_without_it_is_refused_before_the_build(
    on_engine: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    request = on_engine.request("FROM base\nRUN --mount=type=cache,target=/c true\n", tmp_path / "c")
    lines: list[str] = []
    with pytest.raises(ImageBuildFailed, match=r"`RUN --mount` on line 2 needs BuildKit.*no docker client"):
        on_engine.build(request, lines)
    assert lines == []


def test_dockers_frontend_without_a_registry_is_the_engines_own(on_engine: Bench, tmp_path: Path) -> None:
    if find_cli(os.environ)[0] is None:
        pytest.skip("no docker client with BuildKit here")
    head = "# syntax=registry.invalid/docker/dockerfile:1\n# escape=`\n"
    text = f"{head}FROM base\nRUN --mount=type=cache,target=/c true\n"
    lines: list[str] = []
    assert on_engine.build(on_engine.request(text, tmp_path / "c"), lines).how == "built"
    assert any("the engine's own reads the Dockerfile" in line for line in lines)


def test_another_frontend_that_cannot_be_had_is_refused_before_the_build(
    on_engine: Bench, tmp_path: Path
) -> None:
    if find_cli(os.environ)[0] is None:
        pytest.skip("no docker client with BuildKit here")
    request = on_engine.request("# syntax=registry.invalid/mine:1\nFROM base\n", tmp_path / "c")
    lines: list[str] = []
    with pytest.raises(ImageBuildFailed, match=r":1: the frontend `registry\.invalid/mine:1` cannot be had"):
        on_engine.build(request, lines)
    assert lines == []


def test_heredocs_build_or_are_refused_before_the_build(on_engine: Bench, tmp_path: Path) -> None:
    if find_cli(os.environ)[0] is None:
        pytest.skip("no docker client with BuildKit here")
    request = on_engine.request("FROM base\nRUN <<END\necho here >/x\nEND\n", tmp_path / "c")
    if int(on_engine.engine.info.version.split(".")[0]) >= 23:
        assert shown(on_engine, on_engine.build(request).tag, "cat /x") == "here\n"
        return
    with pytest.raises(ImageBuildFailed, match="the heredoc `<<END` on line 2 needs an engine"):
        on_engine.build(request)


def test_the_apt_mirror_holds_during_the_build_and_is_in_no_layer(on_engine: Bench, tmp_path: Path) -> None:
    if find_cli(os.environ)[0] is None:
        pytest.skip("no docker client with BuildKit here")
    text = "FROM base AS one\nRUN cat /etc/apt/sources.list* >/seen; true\nFROM one\nRUN true\n"
    site = Site(apt_mirror="http://mirror.invalid/debian")
    made = on_engine.build(on_engine.request(text, tmp_path / "c", site=site))
    seen = shown(on_engine, made.tag, "cat /seen; echo ---; cat /etc/apt/sources.list*; true")
    during, _, after = seen.partition("---")
    assert "http://mirror.invalid/debian " in during
    assert "deb.debian.org" not in during
    assert "mirror.invalid" not in after
    assert "deb.debian.org" in after


def test_secrets_of_the_site_end_in_no_layer_and_no_log(on_engine: Bench, tmp_path: Path) -> None:
    if find_cli(os.environ)[0] is None:
        pytest.skip("no docker client with BuildKit here")
    bundle = tmp_path / "site.pem"
    bundle.write_text("-- the site's bundle --\n")
    site = Site(
        ca_bundle=bundle,
        pip_index_url="https://me:c4nary-index@pypi.example/simple",
        proxies=Proxies(http="http://me:c4nary-proxy@proxy.example:3128"),
    )
    script = "cat $SSL_CERT_FILE $PIP_CONFIG_FILE >/seen; echo $HTTP_PROXY; md5sum /seen; rm /seen"
    request = on_engine.request(f"FROM base\nRUN {script}\nRUN true\n", tmp_path / "c", site=site)
    lines: list[str] = []
    made = on_engine.build(request, lines)
    history = str(on_engine.engine.api.history(made.id)) + str(on_engine.engine.api.inspect_image(made.id))
    assert "c4nary" not in history + "\n".join(lines)
    assert shown(on_engine, made.tag, "env; ls -A /run /dev | grep -i benchrouter; true").count("c4nary") == 0


def _killed_build(bench: Bench, request_dir: Path, tag: str, path: str) -> subprocess.Popen[bytes]:
    program = f"""
import threading
from pathlib import Path
from benchrouter.engine.build import BuildRequest, build
from benchrouter.engine.client import Engine
place = Path({str(request_dir)!r})
request = BuildRequest(tag={tag!r}, key={tag!r}[-8:], dockerfile=place / "Dockerfile", context=place,
    workspace_id={bench.workspace!r}, run_id={bench.run!r}, bases={{"base": {bench.image!r}}}, scratch=place)
build(Engine.connect(), request, lambda line: print(line, flush=True), threading.Event())
"""
    return subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, env={**os.environ, "PATH": path}
    )


@pytest.mark.parametrize("kind", BOTH)
def test_a_builder_outlives_no_sigkill(kind: str, on_engine: Bench, tmp_path: Path) -> None:
    path = "/nonexistent" if kind == "classic" else os.environ["PATH"]
    marker = f"sleep 98{os.getpid() % 1000:03d}"
    request = on_engine.request(f"FROM base\nRUN echo a >/a\nRUN echo started; {marker}\n", tmp_path / "c")
    owner = _killed_build(on_engine, request.context, request.tag, path)
    assert owner.stdout is not None
    for line in owner.stdout:
        if b"started" in line and b"RUN" not in line:
            break
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    until = time.monotonic() + 15
    while (find_builders(on_engine.run) or _running(marker)) and time.monotonic() < until:
        time.sleep(0.1)
    assert find_builders(on_engine.run) == []
    assert not _running(marker)
    swept = sweep(on_engine.engine, on_engine.workspace, on_engine.run)
    assert not swept.left
    assert on_engine.unnamed() == []


@pytest.mark.usefixtures("builder")
def test_cancellation_ends_a_build(on_engine: Bench, tmp_path: Path) -> None:
    marker = f"sleep 97{os.getpid() % 1000:03d}"
    request = on_engine.request(f"FROM base\nRUN echo started; {marker}\n", tmp_path / "c")
    cancelled = threading.Event()
    threading.Timer(1.5, cancelled.set).start()
    began = time.monotonic()
    with pytest.raises(BuildCancelled):
        build(on_engine.engine, request, lambda _: None, cancelled)
    assert time.monotonic() - began < 15
    until = time.monotonic() + 10
    while _running(marker) and time.monotonic() < until:
        time.sleep(0.1)
    assert not _running(marker)
    sweep(on_engine.engine, on_engine.workspace, on_engine.run)


def _running(command: str) -> bool:
    wanted = command.replace(" ", "\0").encode() + b"\0"
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if place.read_bytes() == wanted:
                return True
        except OSError:
            continue
    return False
