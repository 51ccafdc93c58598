"""Copying files with holes: what takes no room where it was written takes none where it is kept."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator

CHUNK = 1 << 20
_BLOCK = 4096
_UNSUPPORTED = {errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS}


def pieces(descriptor: int, size: int) -> Iterator[bytes | int]:
    """Read at most `size` bytes of a regular file from its beginning: data as bytes, holes as their length.

    Where the file system does not tell of its holes, blocks of zeros of a file that has some count as such.
    """
    facts = os.fstat(descriptor)
    if facts.st_blocks * 512 >= min(size, facts.st_size):
        yield from _read(descriptor, 0, size)
        return
    at = 0
    while at < size:
        try:
            start = os.lseek(descriptor, at, os.SEEK_DATA)
            end = os.lseek(descriptor, start, os.SEEK_HOLE)
        except OSError as error:
            if error.errno in _UNSUPPORTED and at == 0:
                yield from _without_zeros(descriptor, size)
            elif error.errno != errno.ENXIO:  # nothing but a hole up to the end
                raise
            elif at < min(size, facts.st_size):
                yield min(size, facts.st_size) - at
            return
        start, end = min(start, size), min(end, size)
        if start > at:
            yield start - at
        yield from _read(descriptor, start, end)
        at = end


def copy_file(source: str, target: str) -> str:
    """Copy a file with its holes, mode and times, as `shutil.copy2` does without the holes."""
    with open(source, "rb") as data, open(target, "wb") as out:
        for piece in pieces(data.fileno(), os.fstat(data.fileno()).st_size):
            if isinstance(piece, int):
                out.seek(piece, os.SEEK_CUR)
            else:
                out.write(piece)
        out.truncate()
    shutil.copystat(source, target)
    return target


def _read(descriptor: int, start: int, end: int) -> Iterator[bytes]:
    os.lseek(descriptor, start, os.SEEK_SET)
    while start < end and (chunk := os.read(descriptor, min(CHUNK, end - start))):
        start += len(chunk)
        yield chunk


def _without_zeros(descriptor: int, size: int) -> Iterator[bytes | int]:
    hole = 0
    for chunk in _read(descriptor, 0, size):
        for start in range(0, len(chunk), _BLOCK):
            block = chunk[start : start + _BLOCK]
            if not block.strip(b"\0"):
                hole += len(block)
                continue
            if hole:
                yield hole
                hole = 0
            yield block
    if hole:
        yield hole
