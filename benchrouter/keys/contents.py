"""Digests of many files: small ones one after the other, large ones on threads beside them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import xxhash

if TYPE_CHECKING:
    from concurrent.futures import Future

_LARGE = 128 << 10
_WORTH_THREADS = 8 << 20
_CHUNK = 1 << 20
# A file may have become a FIFO since it was looked at: opening that must not wait for a writer.
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK


def digests(files: Sequence[tuple[str, int]]) -> list[str]:
    """Digest the content of files, given as path and size; raise OSError for one that cannot be read."""
    large = [index for index, (_, size) in enumerate(files) if size >= _LARGE]
    if len(large) < 2 or sum(files[index][1] for index in large) < _WORTH_THREADS:
        return [digest_file(path, size) for path, size in files]
    from concurrent.futures import ThreadPoolExecutor

    found: list[str] = [""] * len(files)
    with ThreadPoolExecutor(min(4, (os.cpu_count() or 1) + 1)) as pool:
        pending: list[tuple[int, Future[str]]] = []
        # The largest first: none of them is left alone at the end.
        for index in sorted(large, key=lambda index: -files[index][1]):
            pending.append((index, pool.submit(digest_file, *files[index])))
        for index, (path, size) in enumerate(files):
            if size < _LARGE:
                found[index] = digest_file(path, size)
        for index, future in pending:
            found[index] = future.result()
    return found


def digest_file(path: str, size: int) -> str:
    """Digest one file's content; the xxh3-128 in hexadecimal. `size` is what is expected, no limit."""
    fd = os.open(path, _FLAGS)
    try:
        if size < _CHUNK:
            # A read of a regular file comes back short at its end only.
            data = os.read(fd, size + 1)
            if len(data) <= size:
                return xxhash.xxh3_128_hexdigest(data)
        os.lseek(fd, 0, os.SEEK_SET)
        whole = xxhash.xxh3_128()
        buffer = bytearray(_CHUNK)
        view = memoryview(buffer)
        while count := os.readv(fd, [buffer]):
            whole.update(view[:count])
        return whole.hexdigest()
    finally:
        os.close(fd)
