"""Pulling one image: mirrors in order, then the registry; patience with 429 and 5xx, none with a refusal."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchrouter.engine import deadlines
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import BuildCancelled, DiskFull, EngineError, ImageMissing, means_disk_full
from benchrouter.engine.feed import post
from benchrouter.engine.images import inspect_image, remove_name, tag_image
from benchrouter.engine.references import Reference, parse_reference
from benchrouter.spec.settings import Site

_TRANSIENT = (
    "429",
    "toomanyrequests",
    "too many requests",
    "rate limit",
    "unexpected http status: 5",
    "500 internal",
    "502 bad",
    "503 service",
    "504 gateway",
    "timeout",
    "connection reset",
    "unexpected eof",
)


@dataclass(frozen=True)
class Pulled:
    """What a pull gave: the name to use it by, and the digests under which the registry knows it."""

    name: str
    repo_digests: tuple[str, ...]


def pull(
    engine: Engine,
    ref: str,
    site: Site,
    environ: Mapping[str, str],
    cancelled: threading.Event,
    on_line: Callable[[str], None] = lambda _: None,
    platform: str | None = None,
    *,
    tries: int = deadlines.PULL_TRIES,
    first_wait: float = deadlines.PULL_WAIT,
) -> Pulled:
    """Pull `ref` into the engine and return the name that it can be used by there.

    That name is `ref` itself, except for a pinned digest that a mirror gave. Raises ImageMissing with every
    place that was asked and its answer, DiskFull, BuildCancelled.
    """
    wanted = parse_reference(ref)
    answers: list[str] = []
    for place in [*site.registry_mirrors.get(wanted.host, ()), None]:
        source = wanted if place is None else parse_reference(wanted.at(place))
        try:
            pulling = _Pulling(engine, source, auth_header(engine, source.host, site, environ), platform)
        except ImageMissing as refusal:
            answers.append(f"{source.host}: {refusal}")
            continue
        answer = _patiently(pulling, cancelled, on_line, tries, first_wait)
        if answer is None:
            pulled = ref if place is None else wanted.at(place)
            found = inspect_image(engine, pulled)
            digests = found.repo_digests if found else ()
            return Pulled(pulled if place is None else _rename(engine, pulled, ref, wanted), digests)
        answers.append(f"{source.host}: {answer}")
    raise ImageMissing(f"cannot pull {ref}: " + "; ".join(answers))


def is_transient(refusal: str) -> bool:
    """Tell whether asking again later may help."""
    lowered = refusal.lower()
    return any(sign in lowered for sign in _TRANSIENT)


class _Pulling:
    """One image at one place, asked for as often as it takes."""

    def __init__(self, engine: Engine, source: Reference, auth: dict[str, str], platform: str | None) -> None:
        self.source = source
        self._engine = engine
        self._auth = auth
        self._params = {"fromImage": source.repository, "tag": source.version}
        if platform is not None:
            self._params["platform"] = platform

    def once(self, cancelled: threading.Event, on_line: Callable[[str], None]) -> str | None:
        """Ask once: None on success, else what the registry said."""
        try:
            with self._engine.errors("pulling"):
                for said in post(self._engine, "/images/create", self._params, cancelled, headers=self._auth):
                    if said.get("error"):
                        return str(said["error"])
                    if not said.get("progressDetail"):
                        on_line(" ".join(str(said[part]) for part in ("id", "status") if said.get(part)))
        except DiskFull:
            raise
        except EngineError as error:
            if not self._engine.answers():
                raise
            return str(error).removeprefix("pulling: ")
        return None


def _patiently(
    pulling: _Pulling,
    cancelled: threading.Event,
    on_line: Callable[[str], None],
    tries: int,
    first_wait: float,
) -> str | None:
    """Pull with up to `tries` attempts; return None on success, else what the registry said."""
    for attempt in range(1, tries + 1):
        refusal = pulling.once(cancelled, on_line)
        if refusal is None:
            return None
        if means_disk_full(refusal):
            raise DiskFull(f"pulling {pulling.source.normal()}: {refusal}")
        if attempt == tries or not is_transient(refusal):
            return refusal if attempt == 1 else f"{refusal} (asked {attempt} times)"
        pause = first_wait * 2 ** (attempt - 1) * random.uniform(0.75, 1.25)
        on_line(f"{pulling.source.host}: {refusal}; asking again in {pause:.1f} s")
        if cancelled.wait(pause):
            raise BuildCancelled("stopped because the run was")
    return "not asked"


def auth_header(engine: Engine, host: str, site: Site, environ: Mapping[str, str]) -> dict[str, str]:
    """Take the credentials from the variables that the site names, else from docker's own configuration.

    Raises ImageMissing when a variable is not set: nothing can be had there.
    """
    from docker import auth

    named = site.registry_credentials.get(host)
    api: Any = engine.slow
    if named is None:
        found = auth.get_config_header(api, host)
        return {"X-Registry-Auth": found.decode() if isinstance(found, bytes) else found} if found else {}
    missing = [name for name in (named.username_env, named.password_env) if not environ.get(name)]
    if missing:
        raise ImageMissing(f"not asked: its credentials are not set: {', '.join(missing)}")
    given = {"username": environ[named.username_env], "password": environ[named.password_env]}
    encoded = auth.encode_header(given)
    return {"X-Registry-Auth": encoded.decode() if isinstance(encoded, bytes) else encoded}


def _rename(engine: Engine, pulled: str, ref: str, wanted: Reference) -> str:
    if wanted.digest:
        return pulled  # a name with a digest cannot be given by hand
    tag_image(engine, pulled, f"{wanted.repository}:{wanted.version}")
    remove_name(engine, pulled)
    return ref
