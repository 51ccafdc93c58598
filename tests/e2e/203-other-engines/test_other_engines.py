"""The archive between the engines that Debian 12 and 13 ship, with the classic and the containerd image store."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from newer_engine import CAN, make_root, newer_engine

from benchrouter.engine.archive import Archive, load, save
from benchrouter.engine.client import Engine
from benchrouter.engine.images import inspect_image, remove_name
from benchrouter.store.workspace import Workspace

pytestmark = [
    pytest.mark.engine,
    pytest.mark.soak,
    pytest.mark.skipif(not CAN, reason="needs root and mmdebstrap"),
    pytest.mark.skipif("BENCHROUTER_SOAK" not in os.environ, reason="installs an engine; `doit soak` runs it"),
]
NAME = "benchrouter.test/between-engines"
BASES = ("debian:bookworm-slim", "benchrouter-bootstrap/debian:bookworm-slim")


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    """The installed engine of Debian 13."""
    made = make_root()
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.mark.parametrize("containerd_store", [False, True])
def test_there_and_back(root: Path, tmp_path: Path, containerd_store: bool) -> None:
    """The same layers and configuration, wherever an image has been; its id is the engine's business."""
    never = threading.Event()
    shared = Engine.connect()
    name = next(name for name in BASES if inspect_image(shared, name))
    image = inspect_image(shared, name)
    assert image is not None
    here, there = (Archive(Workspace(tmp_path / part).ensure()) for part in ("here", "there"))
    entry = save(here, shared, image, name, cancelled=never)
    try:
        with newer_engine(root, containerd_store=containerd_store) as engine:
            assert engine.info.version.startswith("26."), engine.info
            for number in range(2):
                load(here, engine, entry, [f"{NAME}:{number}"], cancelled=never)
            loaded = inspect_image(engine, f"{NAME}:1")
            assert loaded is not None
            assert (loaded.id == image.id) is not containerd_store
            back = save(there, engine, loaded, NAME, cancelled=never)
            size = here.size()
            again = save(here, engine, loaded, NAME, cancelled=never)
            assert here.size() == size, "the layers were there"
            engine.close()
        assert (back.layers[0].diff_id, back.config) == (entry.layers[0].diff_id, entry.config)
        assert again.image_id == entry.image_id == image.id
        load(there, shared, back, [f"{NAME}:back"], cancelled=never)
        returned = inspect_image(shared, f"{NAME}:back")
        assert returned is not None
        assert returned.id == image.id
    finally:
        remove_name(shared, f"{NAME}:back")
        shared.close()
