"""Files in a stream as they are, or unpacked when they are compressed."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import zstandard

_ENOUGH = 262  # to see what compressed data begin with, and that a tar does not


Block = bytes | memoryview


def unpacked(data: Iterable[Block]) -> Iterator[Block]:
    """Yield what the pieces hold, unpacked if they begin as gzip, zstd, xz or bzip2 do.

    Raises OSError, EOFError or another error of the format's library when they are cut off or damaged.
    """
    pieces = iter(data)
    first: Block = b""
    while len(first) < _ENOUGH and (more := next(pieces, None)) is not None:
        first = more if not first else bytes(first) + more
    make = _unpacker(bytes(first[:_ENOUGH]))
    if make is None:
        yield first
        yield from pieces
        return
    unpacker: Any = None
    for piece in chain([first], pieces):
        while len(piece):
            unpacker = unpacker or make()
            yield unpacker.decompress(piece)
            piece = b""
            if unpacker.eof:  # what follows is the next member
                piece, unpacker = unpacker.unused_data, None
    if unpacker is not None:
        raise EOFError("compressed data without their end")


def _unpacker(first: bytes) -> Any:
    if first[257:262] == b"ustar":
        return None
    if first.startswith(b"\x1f\x8b"):
        return lambda: zlib.decompressobj(wbits=31)
    if first.startswith((b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18")):
        return zstandard.ZstdDecompressor().decompressobj
    if first.startswith(b"\xfd7zXZ"):
        return lzma.LZMADecompressor
    return bz2.BZ2Decompressor if first.startswith(b"BZh") else None
