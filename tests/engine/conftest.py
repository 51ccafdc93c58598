"""The engine of the engine tests, and the image that they run."""

from __future__ import annotations

import fcntl
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_bench import Bench

from benchrouter.engine.bootstrap import bootstrap, stand_in_name
from benchrouter.engine.client import Engine
from benchrouter.engine.images import inspect_image

_REF = "benchrouter.test/base:1"


@pytest.fixture(scope="session")
def real_engine() -> Iterator[Engine]:
    """A connected engine."""
    engine = Engine.connect()
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def base_image(real_engine: Engine) -> str:
    """A small Debian with Python and curl; made once and kept, since making it takes half a minute."""
    name = stand_in_name(_REF)
    with Path(tempfile.gettempdir(), "benchrouter-test-base.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the suite has several workers
        if inspect_image(real_engine, name) is None:
            packages = ("python3", "curl")
            bootstrap(real_engine, _REF, packages=packages, suite="bookworm", cancelled=threading.Event())
    return name


@pytest.fixture
def on_engine(real_engine: Engine, base_image: str) -> Iterator[Bench]:
    """A workspace and run of this test; nothing with their labels may be left."""
    bench = Bench(real_engine, base_image)
    yield bench
    left = bench.containers()
    for container in left:
        real_engine.api.remove_container(container, force=True, v=True)
    bench.clean()
    unnamed = bench.unnamed()
    for image in unnamed:
        real_engine.api.remove_image(image)
    assert not left
    assert not unnamed
