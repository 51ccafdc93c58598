"""Images between engines and the archive: whole, without what is there, and in order when something gives way."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex

import pytest
from own_engine import CAN, own_engine

from benchrouter.engine.archive import Archive, ArchiveDamaged, Entry, load, save
from benchrouter.engine.archive.transfer import layers_in
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import BuildCancelled, DiskFull, EngineError
from benchrouter.engine.images import inspect_image, remove_name
from benchrouter.store.workspace import Workspace

sys.path.append(str(Path(__file__).parents[1] / "unit" / "engine"))

from archive.images import Small, files, take

pytestmark = pytest.mark.engine
MIB = 1 << 20
own = pytest.mark.own_engine
needs_own = pytest.mark.skipif(not CAN, reason="needs root and dockerd")


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """An empty archive."""
    return Archive(Workspace(tmp_path).ensure())


@pytest.fixture
def names(real_engine: Engine) -> Iterator[list[str]]:
    """Free names in the engine, given back afterwards."""
    made = [f"benchrouter.test/archive-{token_hex(4)}:{n}" for n in range(3)]
    yield made
    for name in made:
        remove_name(real_engine, name)


def put(engine: Engine, archive: Archive, entry: Entry, *names: str) -> None:
    """Load an image."""
    load(archive, engine, entry, names, cancelled=threading.Event())


def large(name: str, megabytes: int) -> Small:
    """Make an image of one layer that does not compress."""
    return Small((os.urandom(megabytes * MIB // 2).hex(),), (name,))


def test_saved_and_loaded_it_is_the_same_image(real_engine: Engine, archive: Archive, names: list[str]) -> None:
    """Under every name that is asked for, also one that a person would write shorter."""
    (entry,) = take(archive, Small(("a", "b"), (names[0],)).archive())
    put(real_engine, archive, entry, names[0], f"docker.io/{names[1]}", names[2])
    found = inspect_image(real_engine, names[2])
    assert found is not None
    assert (found.id, found.labels) == (entry.image_id, {"of": "small"})
    again = save(archive, real_engine, found, names[1], key="k", cancelled=threading.Event())
    assert (again.layers, again.key, again.reference) == (entry.layers, "k", names[1])
    remove_name(real_engine, f"docker.io/{names[1]}")


def test_layers_that_the_engine_has_are_not_sent_again(
    real_engine: Engine, archive: Archive, names: list[str]
) -> None:
    """Only from the first layer up, and in the same order: an engine knows layers by what lies below them."""
    one, two, turned = (
        take(archive, Small(texts, (name,)).archive())[0]
        for texts, name in zip((("a", "b"), ("a", "c"), ("c", "a")), names, strict=True)
    )
    put(real_engine, archive, one, names[0])
    assert layers_in(real_engine, two, {}) == {two.layers[0].diff_id}
    assert layers_in(real_engine, turned, {}) == frozenset()
    for entry, name in ((two, names[1]), (turned, names[2])):
        put(real_engine, archive, entry, name)
        found = inspect_image(real_engine, name)
        assert found is not None
        assert found.id == entry.image_id


def test_an_engine_s_layer_is_compressed_once(
    real_engine: Engine, archive: Archive, names: list[str], tmp_path: Path
) -> None:
    """The archive knows a layer by the path that the engine gives it, and does not read it a second time."""
    other = Archive(Workspace(tmp_path / "other").ensure())
    for texts, name in zip((("a", "b"), ("a", "c"), ("a", "d")), names, strict=True):
        put(real_engine, other, take(other, Small(texts, (name,)).archive())[0], name)
        found = inspect_image(real_engine, name)
        assert found is not None
        save(archive, real_engine, found, name, cancelled=threading.Event())
    assert len({entry.called[0] for entry, _ in archive.all()}) == 1
    assert len(list(archive.layers.all())) == 4


def test_a_damaged_layer_leaves_no_image_behind(real_engine: Engine, archive: Archive, names: list[str]) -> None:
    """The stream breaks off, the engine says no, and the archive has the image no more."""
    (entry,) = take(archive, large(names[0], 4).archive())
    path = archive.layers.path(entry.layers[0].diff_id)
    data = bytearray(path.read_bytes())
    data[-100] ^= 1
    path.write_bytes(data)
    with pytest.raises(ArchiveDamaged):
        put(real_engine, archive, entry, names[0])
    assert inspect_image(real_engine, names[0]) is None
    assert archive.find(names[0]) is None


def test_interrupted_while_it_loads(real_engine: Engine, archive: Archive, names: list[str]) -> None:
    """It ends at once, and the engine has no such image."""
    (entry,) = take(archive, large(names[0], 200).archive())
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    with pytest.raises(BuildCancelled):
        load(archive, real_engine, entry, [names[0]], cancelled=stop)
    assert time.monotonic() - began < 8
    assert inspect_image(real_engine, names[0]) is None


def test_interrupted_while_it_saves(real_engine: Engine, base_image: str, archive: Archive) -> None:
    """It ends at once, and nothing half-written is left."""
    image = inspect_image(real_engine, base_image)
    assert image is not None
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    with pytest.raises(BuildCancelled):
        save(archive, real_engine, image, base_image, cancelled=stop)
    assert time.monotonic() - began < 8
    assert not files(archive)


@own
@needs_own
def test_another_engine_takes_it_or_says_that_its_disk_is_full(archive: Archive) -> None:
    """Afterwards it is as it was, and takes what fits."""
    (small,) = take(archive, Small(("a",), ("small:1",)).archive())
    (big,) = take(archive, large("big:1", 90).archive())
    with own_engine(120) as second:
        engine = second.start()
        try:
            with pytest.raises(DiskFull):
                put(engine, archive, big, "big:1")
            assert inspect_image(engine, "big:1") is None
            put(engine, archive, small, "small:1")
            found = inspect_image(engine, "small:1")
            assert found is not None
            assert found.id == small.image_id
        finally:
            engine.close()
    assert archive.find("big:1") == big, "a full disk is no reason to think that the archive is damaged"


@own
@needs_own
def test_an_engine_that_goes_away_while_it_loads(archive: Archive) -> None:
    """The error comes promptly."""
    (big,) = take(archive, large("big:1", 200).archive())
    with own_engine(2000) as second:
        engine = second.start()
        assert second._process is not None
        threading.Timer(0.4, second._process.kill).start()
        began = time.monotonic()
        with pytest.raises(EngineError):
            put(engine, archive, big, "big:1")
        assert time.monotonic() - began < 20
        engine.close()


@own
@needs_own
def test_our_own_disk_is_full(real_engine: Engine, base_image: str, tmp_path: Path) -> None:
    """Told as such, and nothing half-written is left."""
    image = inspect_image(real_engine, base_image)
    assert image is not None
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(tmp_path)], check=True)
    try:
        archive = Archive(Workspace(tmp_path).ensure())
        with pytest.raises(DiskFull, match="image archive"):
            save(archive, real_engine, image, base_image, cancelled=threading.Event())
        assert not files(archive)
    finally:
        subprocess.run(["umount", "-l", str(tmp_path)], check=True)
