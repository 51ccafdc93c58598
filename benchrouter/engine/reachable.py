"""Does any registry answer here, asked quickly and without an image in mind."""

from __future__ import annotations

import ssl
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from email.message import Message
from pathlib import Path

from benchrouter.engine import deadlines
from benchrouter.spec.settings import Site

_HUB = "https://registry-1.docker.io"


def registry_answers(site: Site, deadline: float = deadlines.REGISTRY) -> bool:
    """Tell whether Docker Hub or one of the site's mirrors answers within `deadline`; a refusal is an answer."""
    places = {_HUB, *(place for mirrors in site.registry_mirrors.values() for place in mirrors)}
    with ThreadPoolExecutor(max_workers=len(places)) as pool:
        return any(pool.map(lambda place: _answers(place, site, deadline), places))


def _answers(place: str, site: Site, deadline: float) -> bool:
    urls = [place] if "://" in place else [f"https://{place}", f"http://{place}"]
    return any(_asked(f"{_origin(url)}/v2/", site, deadline) for url in urls)


def _asked(url: str, site: Site, deadline: float) -> bool:
    handlers: list[urllib.request.BaseHandler] = [urllib.request.HTTPSHandler(context=_context(site.ca_bundle))]
    proxies = {"http": site.proxies.http, "https": site.proxies.https}
    given = {scheme: url for scheme, url in proxies.items() if url}
    if given:
        handlers.append(urllib.request.ProxyHandler(given))
    try:
        with urllib.request.build_opener(*handlers).open(url, timeout=deadline) as answer:
            return _is_registry(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code == 429 or _is_registry(error.headers)
    except (OSError, ValueError):
        return False


def _is_registry(headers: Message) -> bool:
    # A proxy that refuses, or a portal that answers for everybody, is no registry.
    return "registry" in str(headers.get("Docker-Distribution-Api-Version", ""))


def _context(bundle: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=str(bundle) if bundle is not None else None)
    except (OSError, ssl.SSLError):
        return ssl.create_default_context()


def _origin(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.split('/', 1)[0]}"
