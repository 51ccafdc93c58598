"""The relay: the way from a job's own network to the model's endpoint, and to nothing else."""

from __future__ import annotations

import asyncio
import json
import threading
from asyncio import StreamReader, StreamWriter
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from ipaddress import IPv4Address, IPv4Network
from typing import Any, TypeVar

from benchrouter.engine import deadlines
from benchrouter.engine.relay_http import (
    MOST_HEAD,
    PIECE,
    BadMessage,
    Request,
    as_request,
    body_of,
    is_below,
    read_head,
    status_of,
)
from benchrouter.engine.upstream import Unreachable, Upstream

MOST = 256  # connections of one job at a time: each holds two of our open files
_PATIENCE = 1.0
_BROKEN = (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError)

_T = TypeVar("_T")


class Relays:
    """The relays of a run; one thread serves them all, started by the first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    @contextmanager
    def relay(self, upstream: Upstream, address: IPv4Address, peers: IPv4Network) -> Iterator[str]:
        """Listen at `address` for `peers` and give the base URL there; raises OSError when that is impossible."""
        relay = _Relay(upstream, address, peers)
        port = self._wait(relay.open())
        try:
            parts = upstream.parts
            user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
            yield parts._replace(scheme="http", netloc=f"{user}{address}:{port}").geturl()
        finally:
            with suppress(TimeoutError):
                self._wait(relay.close())

    def _wait(self, doing: Coroutine[Any, Any, _T]) -> _T:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="relay", daemon=True).start()
        return asyncio.run_coroutine_threadsafe(doing, self._loop).result(deadlines.CONNECT)


class _Relay:
    def __init__(self, upstream: Upstream, address: IPv4Address, peers: IPv4Network) -> None:
        self._upstream = upstream
        self._address = address
        self._peers = peers
        self._open: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def open(self) -> int:
        self._server = await asyncio.start_server(self._serve, str(self._address), 0, limit=MOST_HEAD)
        return int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._open):
            task.cancel()
        if self._open:
            await asyncio.wait(self._open, timeout=1.0)

    def _admits(self, writer: StreamWriter) -> bool:
        """Take a peer of our network only; the host's own processes come from the gateway's address."""
        peer = IPv4Address(writer.get_extra_info("peername")[0])
        return peer in self._peers and peer != self._address

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or len(self._open) >= MOST or not self._admits(writer):
            writer.transport.abort()
            return
        self._open.add(task)
        try:
            await self._answer(reader, writer)
            await _part(reader, writer)
        except (*_BROKEN, asyncio.CancelledError):
            writer.transport.abort()  # not an orderly end: a body without a length must not look complete
        finally:
            self._open.discard(task)

    async def _answer(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            head = await asyncio.wait_for(read_head(reader), deadlines.RELAY_HEAD)
            if head is None:
                return
            request = as_request(head)
            if not is_below(request.target, self._upstream.parts.path):
                raise BadMessage(403, "this relay leads to the model's endpoint only")
            await self._relay(request, reader, writer)
        except BadMessage as error:
            await _refuse(writer, error.status, str(error))
        except Unreachable as error:
            await _refuse(writer, 502, f"the model's endpoint cannot be reached: {error}")
        except TimeoutError:
            writer.transport.abort()

    async def _relay(self, request: Request, reader: StreamReader, writer: StreamWriter) -> None:
        theirs, ours = await self._upstream.connect()
        asking = asyncio.create_task(_ask(request, self._upstream.head_of(request), reader, ours))
        answering = asyncio.create_task(_pass_answer(theirs, writer))
        try:
            await asyncio.wait((asking, answering), return_when=asyncio.FIRST_COMPLETED)
            if not answering.done() and asking.exception() is None:
                asking = asyncio.create_task(_until_gone(reader))
                await asyncio.wait((asking, answering), return_when=asyncio.FIRST_COMPLETED)
            # An endpoint may answer and close before it has heard the whole question.
            failed = asking.done() and asking.exception() is not None
            await asyncio.wait((answering,), timeout=_PATIENCE if failed else 0)
            if not answering.done():
                raise ConnectionResetError("the peer hung up, or its request was broken")
            answering.result()
        finally:
            for task in (asking, answering):
                task.cancel()
            await asyncio.gather(asking, answering, return_exceptions=True)
            ours.transport.abort()


async def _ask(request: Request, head: bytes, reader: StreamReader, ours: StreamWriter) -> None:
    ours.write(head)
    async for piece in body_of(request, reader):
        ours.write(piece)
        await ours.drain()
    await ours.drain()


async def _until_gone(reader: StreamReader) -> None:
    """Wait until the peer hangs up; what it sends after its request is nobody's."""
    while await reader.read(PIECE):
        pass


async def _pass_answer(theirs: StreamReader, writer: StreamWriter) -> None:
    status = 100
    while status < 200:
        head = await read_head(theirs)
        if head is None:
            raise BadMessage(502, "the endpoint closed the connection without an answer")
        status = status_of(head)
        close = [(b"Connection", b"close")] if status >= 200 else []
        writer.write(head.passed_on(head.line, close))
    while piece := await theirs.read(PIECE):
        writer.write(piece)
        await writer.drain()


async def _part(reader: StreamReader, writer: StreamWriter) -> None:
    """Close so that the peer reads all of the answer, even if some of its request was never read."""
    writer.write_eof()
    with suppress(TimeoutError):
        await asyncio.wait_for(_until_gone(reader), _PATIENCE)
    writer.close()


async def _refuse(writer: StreamWriter, status: int, text: str) -> None:
    body = json.dumps({"error": {"message": f"benchrouter relay: {text}", "type": "relay", "code": status}})
    head = f"HTTP/1.1 {status} Relay\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    writer.write((head + "Connection: close\r\n\r\n" + body).encode())
    with suppress(*_BROKEN):
        await writer.drain()
