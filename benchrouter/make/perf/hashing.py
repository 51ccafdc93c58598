"""Hashing a cold tree of mixed files, against reading it."""

from __future__ import annotations

import random
import time
from pathlib import Path

from benchrouter.keys.tree import hash_tree

MIB = 1 << 20
CHUNK = 4 * MIB


def write_tree(root: Path, size: int) -> None:
    """Write about `size` bytes: half in files of 64 MiB, the rest in files of 1 MiB and 16 KiB."""
    source = random.Random(0)
    for share, each in ((2, 64 * MIB), (4, MIB), (4, MIB // 64)):
        for number in range(size // share // each):
            directory = root / f"{each}" / f"{number % 16:02}"
            directory.mkdir(parents=True, exist_ok=True)
            (directory / f"{number}.bin").write_bytes(source.randbytes(each))


def read_all(root: Path) -> float:
    """Read every file once, in order; return seconds."""
    began = time.perf_counter()
    for path in sorted(root.rglob("*")):
        if path.is_file():
            with path.open("rb", buffering=0) as file:
                while file.read(CHUNK):
                    pass
    return time.perf_counter() - began


def hash_all(root: Path) -> float:
    """Hash the tree once, as the key of a task does; return seconds."""
    began = time.perf_counter()
    hash_tree(root, boundary=root)
    return time.perf_counter() - began


def forget_pages(root: Path) -> bool:
    """Make the next reading a cold one, where the system lets us; tell whether it did."""
    import os

    os.sync()
    try:
        Path("/proc/sys/vm/drop_caches").write_text("1\n")
    except OSError:
        return False
    return root.is_dir()
