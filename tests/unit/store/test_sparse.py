"""Holes stay holes: 1.6 GB of nothing became 1.6 GB on our disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchrouter.store import sparse
from benchrouter.store.sparse import copy_file, pieces

MIB = 1 << 20


def holey(path: Path) -> Path:
    """Write data, a hole, data that begins with zeros, and a hole up to the end."""
    with open(path, "wb") as file:
        file.write(b"head")
        file.seek(64 * MIB)
        file.write(b"\0" * 4096 + b"middle")
        file.truncate(256 * MIB + 1)
    return path


@pytest.mark.parametrize("name", ["empty", "small", "hole", "holey"])
def test_a_copy_has_the_bytes_and_takes_no_more_room(tmp_path: Path, name: str) -> None:
    source = tmp_path / name
    source.write_bytes(b"" if name == "empty" else b"small")
    if name == "hole":
        os.truncate(source, 100 * MIB)
    if name == "holey":
        holey(source)
    source.chmod(0o750)
    copy = Path(copy_file(str(source), str(tmp_path / "copy")))
    assert copy.stat().st_blocks <= source.stat().st_blocks + 16
    assert copy.stat().st_mode == source.stat().st_mode and copy.stat().st_mtime_ns == source.stat().st_mtime_ns
    with open(source, "rb") as one, open(copy, "rb") as other:
        while True:
            block = one.read(MIB)
            assert block == other.read(MIB)
            if not block:
                break


@pytest.mark.parametrize("size", [0, 3, 4, MIB, 64 * MIB + 4096 + 6, 256 * MIB + 1, 512 * MIB])
def test_only_so_much_is_read(tmp_path: Path, size: int) -> None:
    source = holey(tmp_path / "x")
    with open(source, "rb") as file:
        lengths = [piece if isinstance(piece, int) else len(piece) for piece in pieces(file.fileno(), size)]
    assert sum(lengths) == min(size, source.stat().st_size)


def test_where_the_file_system_knows_no_holes_zeros_are_found(tmp_path: Path) -> None:
    source = holey(tmp_path / "x")
    with open(source, "rb") as file:
        found = list(sparse._without_zeros(file.fileno(), 256 * MIB + 1))
    assert [piece if isinstance(piece, int) else piece.rstrip(b"\0") for piece in found] == [
        b"head", 64 * MIB, b"middle", 192 * MIB + 1 - 8192,
    ]  # fmt: skip
