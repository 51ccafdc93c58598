"""HTTP/1.1 as far as a relay has to know it: heads, where a body ends, what is passed on (pure but for the reading)."""

from __future__ import annotations

import re
from asyncio import IncompleteReadError, LimitOverrunError, StreamReader
from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import unquote

MOST_HEAD = 64 << 10
PIECE = 64 << 10

# Meant for the next hop only. The transfer encoding stays: bodies are passed on as they come.
_HOP = {b"connection", b"keep-alive", b"proxy-connection", b"proxy-authorization", b"te", b"upgrade", b"host"}
_TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_REQUEST_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) (HTTP/1\.[01])")
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-9]\d\d)( [^\r\n]*)?")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(;[^\r\n]*)?\r\n")


class BadMessage(Exception):
    """A message that cannot be passed on; `status` is what its sender is told."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class Head:
    """The head of a message: its first line, and headers in their order."""

    line: bytes
    headers: tuple[tuple[bytes, bytes], ...]

    def values(self, name: bytes) -> list[bytes]:
        """Give the values of a header, by its name in lower case."""
        return [value for known, value in self.headers if known.lower() == name]

    def passed_on(self, line: bytes, extra: list[tuple[bytes, bytes]]) -> bytes:
        """Write the head for the next hop, with `extra` headers first."""
        named = {item.strip().lower() for value in self.values(b"connection") for item in value.split(b",")}
        dropped = _HOP | (named - {b"transfer-encoding", b"content-length"})
        kept = [(name, value) for name, value in self.headers if name.lower() not in dropped]
        lines = [line, *(name + b": " + value for name, value in [*extra, *kept])]
        return b"\r\n".join(lines) + b"\r\n\r\n"


@dataclass(frozen=True)
class Request:
    """A request: `target` is path and query as sent, `length` the size of its body, None when it is chunked."""

    head: Head
    method: bytes
    target: bytes
    version: bytes
    length: int | None


async def read_head(reader: StreamReader) -> Head | None:
    """Read the head of a message; None when the connection ended before it began."""
    try:
        data = await reader.readuntil(b"\r\n\r\n")
    except IncompleteReadError as error:
        if not error.partial:
            return None
        raise BadMessage(400, "the message ended within its head") from None
    except LimitOverrunError:
        raise BadMessage(431, f"the head is larger than {MOST_HEAD} bytes") from None
    line, *rest = data[:-4].split(b"\r\n")
    return Head(line, tuple(_header(each) for each in rest))


def _header(line: bytes) -> tuple[bytes, bytes]:
    name, colon, value = line.partition(b":")
    if not colon or not _TOKEN.fullmatch(name) or re.search(rb"[\r\n\0]", value):
        raise BadMessage(400, "a header cannot be understood")
    return name, value.strip(b" \t")


def as_request(head: Head) -> Request:
    """Understand a request; raise BadMessage where two servers could understand it differently."""
    match = _REQUEST_LINE.fullmatch(head.line)
    if match is None:
        raise BadMessage(400, "the request line cannot be understood")
    lengths, encodings = set(head.values(b"content-length")), head.values(b"transfer-encoding")
    if encodings:
        if lengths or [value.lower() for value in encodings] != [b"chunked"]:
            raise BadMessage(400, "the length of the body is ambiguous")
        return Request(head, match[1], match[2], match[3], None)
    if len(lengths) > 1 or any(not re.fullmatch(rb"\d{1,15}", value) for value in lengths):
        raise BadMessage(400, "the length of the body is ambiguous")
    return Request(head, match[1], match[2], match[3], int(lengths.pop()) if lengths else 0)


def is_below(target: bytes, base: str) -> bool:
    """Tell whether a request's target is `base` or lies below it, however a server decodes it."""
    path = unquote(target.partition(b"?")[0].decode("latin-1"), "latin-1")
    if not path.startswith("/") or any(part in (".", "..") for part in re.split(r"[/\\]", path)):
        return False
    root = unquote(base, "latin-1").rstrip("/")
    return path == root or path.startswith(root + "/")


def status_of(head: Head) -> int:
    """Read the status of an answer; raise BadMessage when it is none."""
    match = _STATUS_LINE.fullmatch(head.line)
    if match is None:
        raise BadMessage(502, "the endpoint's answer cannot be understood")
    return int(match[1])


async def body_of(request: Request, reader: StreamReader) -> AsyncIterator[bytes]:
    """Give the body of a request in pieces, exactly as it comes, and stop where it ends."""
    if request.length is not None:
        async for piece in _exactly(reader, request.length):
            yield piece
        return
    while True:
        line = await reader.readuntil(b"\r\n")
        match = _CHUNK.fullmatch(line)
        if match is None:
            raise BadMessage(400, "a chunk of the body cannot be understood")
        yield line
        size = int(match[1], 16)
        if size == 0:
            break
        async for piece in _exactly(reader, size + 2):
            yield piece
    while line != b"\r\n":  # trailers
        line = await reader.readuntil(b"\r\n")
        yield line


async def _exactly(reader: StreamReader, size: int) -> AsyncIterator[bytes]:
    while size:
        piece = await reader.read(min(size, PIECE))
        if not piece:
            raise IncompleteReadError(b"", size)
        size -= len(piece)
        yield piece
