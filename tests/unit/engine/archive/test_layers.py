"""A stored layer is what was written, or it counts as missing."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from benchrouter.engine.archive import ArchiveDamaged
from benchrouter.engine.archive.layers import Layer, LayerStore

DATA = b"layer " * 100_000


def stored(store: LayerStore, data: bytes = DATA) -> Layer:
    """Write a layer in two pieces and publish it."""
    writer = store.writer()
    writer.write(data[:1000])
    writer.write(data[1000:])
    layer = writer.close()
    writer.publish(store, layer)
    return layer


def test_what_is_written_is_read(tmp_path: Path) -> None:
    store = LayerStore(tmp_path)
    layer = stored(store)
    assert layer.diff_id == f"sha256:{hashlib.sha256(DATA).hexdigest()}"
    assert store.find(layer.diff_id) == layer
    assert layer.stored == store.path(layer.diff_id).stat().st_size < layer.size == len(DATA)
    with store.open(layer.diff_id) as opened:
        assert b"".join(opened.unpacked()) == DATA
        opened.check()


@pytest.mark.skipif(shutil.which("zstd") is None, reason="needs zstd")
def test_a_person_can_unpack_the_file(tmp_path: Path) -> None:
    """What comes after the data is a frame that every zstd skips."""
    store = LayerStore(tmp_path)
    path = store.path(stored(store).diff_id)
    assert subprocess.run(["zstd", "-d", "-c", path], capture_output=True, check=True).stdout == DATA


def test_an_empty_layer(tmp_path: Path) -> None:
    store = LayerStore(tmp_path)
    layer = stored(store, b"")
    with store.open(layer.diff_id) as opened:
        assert b"".join(opened.unpacked()) == b""


@pytest.mark.parametrize("length", [0, 10, 31, 32, 100, -1])
def test_a_torn_layer_is_missing(tmp_path: Path, length: int) -> None:
    """Cut off at any place, it is not there."""
    store = LayerStore(tmp_path)
    layer = stored(store)
    path = store.path(layer.diff_id)
    path.write_bytes(path.read_bytes()[:length])
    assert store.find(layer.diff_id) is None
    with pytest.raises(ArchiveDamaged, match="torn"):
        store.open(layer.diff_id)
    assert not path.exists()


@pytest.mark.parametrize("place", [0, 5, 20, -33, -20, -1])
def test_a_flipped_bit_is_found_and_the_layer_dropped(tmp_path: Path, place: int) -> None:
    """Wherever it is: in the header, the data, the footer."""
    store = LayerStore(tmp_path)
    layer = stored(store)
    path = store.path(layer.diff_id)
    data = bytearray(path.read_bytes())
    data[place] ^= 4
    path.write_bytes(data)
    for use in ("check", "unpacked"):
        path.write_bytes(data)
        with pytest.raises(ArchiveDamaged, match=layer.diff_id), store.open(layer.diff_id) as opened:
            list(getattr(opened, use)() or ())
        assert not path.exists()


def test_a_layer_that_is_dropped_can_be_read_to_its_end(tmp_path: Path) -> None:
    """Eviction does not pull the rug from under a loader."""
    store = LayerStore(tmp_path)
    layer = stored(store)
    with store.open(layer.diff_id) as opened:
        store.drop(layer.diff_id)
        assert b"".join(opened.unpacked()) == DATA
    assert store.find(layer.diff_id) is None
