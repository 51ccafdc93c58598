"""A tar as it streams by, member by member, without copying what it holds: tarfile would copy it three times."""

from __future__ import annotations

import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchrouter.engine.archive.unpacking import Block

_RECORD = tarfile.BLOCKSIZE
_MOST_NAMES = 1 << 20
_LONG_NAME, _LONG_LINK, _EXTENDED, _EXTENDED_FOR_ALL = b"L", b"K", b"x", b"g"


@dataclass(frozen=True)
class Member:
    """A member; `data` are its bytes, to be read before the next member is asked for, or not at all."""

    name: str
    kind: bytes
    link: str
    size: int
    data: Iterator[memoryview]

    @property
    def is_file(self) -> bool:
        """Tell whether it is a regular file."""
        return self.kind in (tarfile.REGTYPE, tarfile.AREGTYPE)


class Stream:
    """Pieces of bytes, taken in other lengths than they come in."""

    def __init__(self, pieces: Iterable[Block]) -> None:
        self._pieces = iter(pieces)
        self._rest = memoryview(b"")

    def take(self, size: int) -> Iterator[memoryview]:
        """Yield the next `size` bytes; raise EOFError when there are fewer."""
        while size:
            if not self._rest:
                more = next(self._pieces, None)
                if more is None:
                    raise EOFError("the end is missing")
                self._rest = memoryview(more)
                continue
            taken, self._rest = self._rest[:size], self._rest[size:]
            size -= len(taken)
            yield taken

    def read(self, size: int) -> bytes:
        """Give the next `size` bytes as one."""
        return b"".join(self.take(size))

    def drain(self) -> None:
        """Read to the end: what is cut off shows there."""
        for _ in self._pieces:
            pass


def members(pieces: Iterable[Block]) -> Iterator[Member]:
    """Yield the members of a tar up to its end; raise tarfile.HeaderError or EOFError for anything else."""
    stream = Stream(pieces)
    said: dict[str, str] = {}
    while (header := stream.read(_RECORD)) != bytes(_RECORD):
        found = tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape")
        if found.type in (_LONG_NAME, _LONG_LINK, _EXTENDED, _EXTENDED_FOR_ALL):
            said |= _extended(found.type, _text(stream, found.size))
            continue
        size = int(said.get("size", found.size)) if _has_data(found.type) else 0
        data = stream.take(size)
        yield Member(said.get("path", found.name), found.type, said.get("linkpath", found.linkname), size, data)
        for _ in data:
            pass
        stream.read(-size % _RECORD)
        said = {}
    stream.drain()


def _has_data(kind: bytes) -> bool:
    return kind not in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE)


def _text(stream: Stream, size: int) -> bytes:
    if size > _MOST_NAMES:
        raise tarfile.HeaderError("a name that is too long")
    text = stream.read(size)
    stream.read(-size % _RECORD)
    return text


def _extended(kind: bytes, text: bytes) -> dict[str, str]:
    """Read what stands before a member about its name, link and size."""
    if kind in (_LONG_NAME, _LONG_LINK):
        name = text.partition(b"\0")[0].decode("utf-8", "surrogateescape")
        return {"path" if kind == _LONG_NAME else "linkpath": name}
    found: dict[str, str] = {}
    while text and kind == _EXTENDED:
        length = int(text.partition(b" ")[0])
        if not 0 < length <= len(text):
            raise tarfile.HeaderError("an extended header that is cut off")
        key, _, value = text[:length].partition(b" ")[2].rstrip(b"\n").partition(b"=")
        if key in (b"path", b"linkpath", b"size"):
            found[key.decode()] = value.decode("utf-8", "surrogateescape")
        text = text[length:]
    return found
