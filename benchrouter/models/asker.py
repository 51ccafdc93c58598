"""HTTP to an endpoint, standard library only: the caller's key, proxies and CA bundle, no redirects."""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

_MAX_ANSWER = 4 * 1024 * 1024


@dataclass(frozen=True)
class Answer:
    """What an endpoint answered, whatever the status; `location` is where a redirect points."""

    status: int
    body: bytes = b""
    location: str = ""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: Any, **_kwargs: Any) -> None:
        return None


class Asker:
    """One endpoint, asked with one key; an answer of any status is an answer, not an exception."""

    def __init__(
        self,
        url: str,
        key: str,
        ca_bundle: Path | str | None,
        proxies: Mapping[str, str] | None,
        timeout: float,
    ) -> None:
        self.url = url
        self._timeout = timeout
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        handlers: list[Any] = [_NoRedirect(), urllib.request.ProxyHandler(proxies_for(url, proxies))]
        if url.startswith("https:"):
            handlers.append(urllib.request.HTTPSHandler(context=tls_context(ca_bundle)))
        self._opener = urllib.request.build_opener(*handlers)

    def get(self, route: str) -> Answer:
        """Send GET."""
        return self._send(urllib.request.Request(self.url + route, headers=self._headers))

    def post(self, route: str, content: Mapping[str, Any]) -> Answer:
        """Send POST with a JSON body."""
        data = json.dumps(content).encode()
        return self._send(urllib.request.Request(self.url + route, data=data, headers=self._headers))

    def _send(self, request: urllib.request.Request) -> Answer:
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                return Answer(answer.status, answer.read(_MAX_ANSWER))
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, location=error.headers.get("Location", ""))


def tls_context(ca_bundle: Path | str | None) -> ssl.SSLContext:
    """Trust what this machine trusts, and the site's CA bundle; raise OSError when that cannot be read."""
    context = ssl.create_default_context()
    if ca_bundle is not None:
        try:
            context.load_verify_locations(cafile=str(ca_bundle))
        except OSError as error:
            raise OSError(error.errno, f"site.ca_bundle: {ca_bundle} holds no certificates to read") from None
    return context


def proxies_for(url: str, proxies: Mapping[str, str] | None) -> dict[str, str]:
    """Choose the proxies for an address: those given, else the caller's environment; none for this machine."""
    host = urlsplit(url).hostname or ""
    given = urllib.request.getproxies_environment() if proxies is None else proxies
    no_proxy = given.get("no_proxy") or given.get("no") or ""
    if is_loopback(host) or _is_excepted(host, no_proxy):
        return {}
    return {scheme: given[scheme] for scheme in ("http", "https") if given.get(scheme)}


def _is_excepted(host: str, no_proxy: str) -> bool:
    names = [name.strip().lstrip(".").lower() for name in no_proxy.split(",") if name.strip()]
    return any(name == "*" or host == name or host.endswith(f".{name}") for name in names)


def is_loopback(host: str) -> bool:
    """Tell whether a host name or address can only mean the machine that uses it."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
