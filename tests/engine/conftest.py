"""The engine of the engine tests, and the image that they run."""

from __future__ import annotations

from collections.abc import Iterator

import kept_images
import pytest
from engine_bench import Bench

from benchrouter.engine.client import Engine


@pytest.fixture(scope="session")
def real_engine() -> Iterator[Engine]:
    """A connected engine."""
    engine = Engine.connect()
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def base_image(real_engine: Engine) -> str:
    """A small Debian with Python and curl; made once and kept."""
    return kept_images.base_image(real_engine)


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
