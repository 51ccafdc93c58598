"""The engine's framing of stdout and stderr on an attached connection."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

Stream = Literal["stdout", "stderr"]
_HEADER = 8


class Demultiplexer:
    """Split a byte stream of frames (kind, three zeros, length big-endian, payload) into its two streams."""

    def __init__(self) -> None:
        self._header = bytearray()
        self._left = 0
        self._stream: Stream = "stdout"

    def feed(self, data: bytes) -> Iterator[tuple[Stream, bytes]]:
        """Yield what `data` adds to either stream; frames may be cut anywhere."""
        position = 0
        while position < len(data):
            if self._left == 0:
                taken = data[position : position + _HEADER - len(self._header)]
                self._header += taken
                position += len(taken)
                if len(self._header) == _HEADER:
                    self._stream = "stderr" if self._header[0] == 2 else "stdout"
                    self._left = int.from_bytes(self._header[4:], "big")
                    self._header.clear()
                continue
            chunk = data[position : position + self._left]
            position += len(chunk)
            self._left -= len(chunk)
            yield self._stream, chunk
