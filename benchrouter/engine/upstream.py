"""The relay's side of the endpoint: where it is, how it is reached, how requests to it are written."""

from __future__ import annotations

import asyncio
import base64
import ssl
from asyncio import StreamReader, StreamWriter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from benchrouter.engine import deadlines
from benchrouter.engine.relay_http import MOST_HEAD, BadMessage, Request, read_head, status_of
from benchrouter.models.asker import proxies_for, tls_context

_PORTS = {"http": 80, "https": 443}


class Unreachable(Exception):
    """The endpoint cannot be connected to."""


@dataclass(frozen=True)
class Upstream:
    """An endpoint's base URL, and what the site needs to reach it; proxies None are the caller's environment's."""

    url: str
    ca_bundle: Path | None = None
    proxies: Mapping[str, str] | None = field(default=None, repr=False)

    @property
    def parts(self) -> SplitResult:
        """Take the URL apart."""
        return urlsplit(self.url)

    @property
    def host(self) -> str:
        """Name the host that is connected to."""
        return self.parts.hostname or ""

    @property
    def port(self) -> int:
        """Give the port, that of the scheme where none is written."""
        return self.parts.port or _PORTS[self.parts.scheme]

    @property
    def authority(self) -> bytes:
        """Write host and port as a Host header has them."""
        return self.parts.netloc.rpartition("@")[2].encode("latin-1")

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return tls_context(self.ca_bundle)  # reads all CAs: once is enough

    @property
    def _proxy(self) -> SplitResult | None:
        given = proxies_for(self.url, self.proxies).get(self.parts.scheme)
        return urlsplit(given if "://" in given else f"http://{given}") if given else None

    def head_of(self, request: Request) -> bytes:
        """Write a request's head for the endpoint, or for the proxy on the way to it."""
        target, extra = request.target, [(b"Host", self.authority), (b"Connection", b"close")]
        proxy = self._proxy
        if proxy is not None and self.parts.scheme == "http":
            target = b"http://" + self.authority + target
            extra += _authorization(proxy)
        return request.head.passed_on(request.method + b" " + target + b" " + request.version, extra)

    async def connect(self) -> tuple[StreamReader, StreamWriter]:
        """Open a connection, through the proxy where there is one; raise Unreachable."""
        try:
            return await asyncio.wait_for(self._connect(), deadlines.RELAY_CONNECT)
        except TimeoutError:
            raise Unreachable(f"no connection within {deadlines.RELAY_CONNECT:g} s") from None
        except ssl.SSLError as error:
            raise Unreachable(f"TLS: {getattr(error, 'verify_message', '') or error.reason}") from None
        except (OSError, BadMessage, UnicodeError) as error:
            raise Unreachable(str(getattr(error, "strerror", None) or error)) from None

    async def _connect(self) -> tuple[StreamReader, StreamWriter]:
        proxy, tls = self._proxy, self.parts.scheme == "https"
        if proxy is None:
            context = self._tls if tls else None
            return await asyncio.open_connection(self.host, self.port, ssl=context, limit=MOST_HEAD)
        context = self._tls if proxy.scheme == "https" else None
        port = proxy.port or _PORTS.get(proxy.scheme, 80)
        reader, writer = await asyncio.open_connection(proxy.hostname, port, ssl=context, limit=MOST_HEAD)
        if tls:
            await self._through(proxy, reader, writer)
            await writer.start_tls(self._tls, server_hostname=self.host)
        return reader, writer

    async def _through(self, proxy: SplitResult, reader: StreamReader, writer: StreamWriter) -> None:
        host = f"[{self.host}]" if ":" in self.host else self.host
        place = f"{host}:{self.port}".encode("latin-1")
        lines = [b"CONNECT " + place + b" HTTP/1.1", b"Host: " + place]
        lines += [name + b": " + value for name, value in _authorization(proxy)]
        writer.write(b"\r\n".join(lines) + b"\r\n\r\n")
        head = await read_head(reader)
        status = status_of(head) if head is not None else 0
        if status != 200:
            writer.close()
            raise OSError(f"the proxy answered {status or 'nothing'}")


def _authorization(proxy: SplitResult) -> list[tuple[bytes, bytes]]:
    if proxy.username is None:
        return []
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode()
    return [(b"Proxy-Authorization", b"Basic " + base64.b64encode(pair))]
