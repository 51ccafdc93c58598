"""The last 32 bytes of a stored layer: how long it is unpacked, and a checksum of all before them.

They are a skippable frame of zstd, so the file remains one that `zstd -d` unpacks, and layer and checksum appear
together by one rename.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import xxhash

_FRAME = struct.Struct("<IIQ16s")
_MAGIC, _PAYLOAD = 0x184D2A50, 24
LENGTH = _FRAME.size


@dataclass(frozen=True)
class Footer:
    """`size` is the length of the layer's tar in bytes, `checksum` the xxh3-128 of the compressed bytes and `size`."""

    size: int
    checksum: bytes

    @classmethod
    def sealing(cls, size: int, checksum: xxhash.xxh3_128) -> Footer:
        """Close the checksum of the compressed bytes."""
        checksum.update(size.to_bytes(8, "little"))
        return cls(size, checksum.digest())

    def to_bytes(self) -> bytes:
        """Encode as a skippable frame."""
        return _FRAME.pack(_MAGIC, _PAYLOAD, self.size, self.checksum)

    @classmethod
    def of(cls, data: bytes) -> Footer | None:
        """Decode; None for anything else than what `to_bytes` makes."""
        if len(data) != LENGTH:
            return None
        magic, payload, size, checksum = _FRAME.unpack(data)
        return cls(size, checksum) if (magic, payload) == (_MAGIC, _PAYLOAD) else None
