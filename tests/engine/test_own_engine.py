"""What an engine does to us at its worst: stopped, killed, full; and how one is started."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_bench import Bench
from own_engine import CAN, OwnEngine, copy_image, own_engine

from benchrouter.engine.client import Engine
from benchrouter.engine.errors import DiskFull, EngineError
from benchrouter.spec.settings import Site

pytestmark = [pytest.mark.own_engine, pytest.mark.skipif(not CAN, reason="needs root and dockerd")]
SCRIPT = Path(__file__).parents[2] / "benchrouter/engine/ensure-engine.sh"


@pytest.fixture
def own(real_engine: Engine, base_image: str) -> Iterator[tuple[OwnEngine, Bench]]:
    """A second engine that has the test's image."""
    with own_engine() as server:
        engine = server.start()
        copy_image(real_engine, base_image, engine)
        yield server, Bench(engine, base_image)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_an_engine_that_stops_in_mid_run_is_an_engine_error_and_soon(
    own: tuple[OwnEngine, Bench], number: signal.Signals
) -> None:
    server, bench = own
    threading.Timer(1.5, server.send, (number,)).start()
    began = time.monotonic()
    with pytest.raises(EngineError):
        bench.shell("sleep 1000", network="host")
    assert time.monotonic() - began < 30


def test_a_full_disk_of_the_engine_is_disk(real_engine: Engine, base_image: str, tmp_path: Path) -> None:
    with own_engine(megabytes=400) as server:
        engine = server.start()
        copy_image(real_engine, base_image, engine)
        bench = Bench(engine, base_image)
        text = "FROM base\nRUN head -c 600000000 /dev/urandom >/big\n"
        request = bench.request(text, tmp_path / "c", site=Site(build_network="host"))
        with pytest.raises(DiskFull):
            bench.build(request)
        assert bench.unnamed() == []


def _ensure(tmp_path: Path, **changed: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(SCRIPT)],
        env={**os.environ, "HOME": str(tmp_path), **changed},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_ensure_engine_does_nothing_when_one_answers(tmp_path: Path) -> None:
    began = time.monotonic()
    done = _ensure(tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert time.monotonic() - began < 5


def test_ensure_engine_starts_none_where_docker_host_names_another(tmp_path: Path) -> None:
    done = _ensure(tmp_path, DOCKER_HOST=f"unix://{tmp_path}/none.sock")
    assert done.returncode == 1
    assert "no engine answers at DOCKER_HOST" in done.stderr


def test_ensure_engine_starts_one_that_outlives_it(tmp_path: Path) -> None:
    """In mount and network namespaces of its own, where no engine answers."""
    script = f"""
        mount -t tmpfs tmpfs /run && [ ! -L /var/run ] && mount --bind /run /var/run
        export BENCHROUTER_ENGINE_DATA_ROOT='{tmp_path}/data' BENCHROUTER_ENGINE_LOG='{tmp_path}/log'
        sh '{SCRIPT}' || exit 1
        docker info --format '{{{{.DockerRootDir}}}}'
        sh '{SCRIPT}' || exit 1
        kill "$(cat /run/docker.pid)"
        while kill -0 "$(cat /run/docker.pid 2>/dev/null)" 2>/dev/null; do sleep 0.2; done
    """
    done = subprocess.run(
        ["unshare", "-m", "-n", "--propagation", "private", "sh", "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"{tmp_path}/data"
