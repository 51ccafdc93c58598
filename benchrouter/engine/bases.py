"""Base images: the engine's own, an archive, a registry, at last the site's alias."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from benchrouter.engine import deadlines
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError, ImageMissing
from benchrouter.engine.images import Image, inspect_image
from benchrouter.engine.recipes import has_recipe
from benchrouter.engine.references import same_image
from benchrouter.engine.registry import pull
from benchrouter.spec.settings import Site

How = Literal["engine", "archive", "registry", "alias"]


@dataclass(frozen=True)
class BaseImage:
    """A base that a build can use: `ref` as written, `used` the name that stands in for it."""

    ref: str
    used: str
    image_id: str
    repo_digests: tuple[str, ...]
    how: How


def alias_of(ref: str, site: Site) -> str | None:
    """Find the site's stand-in for a reference, however either of them is spelled."""
    known = alias_key(ref, site)
    return None if known is None else site.image_aliases[known]


def alias_key(ref: str, site: Site) -> str | None:
    """Find the spelling under which the site names a stand-in for a reference."""
    return next((known for known in site.image_aliases if same_image(known, ref)), None)


def lacking(ref: str, refusal: str, site: Site, to_get: str = "") -> str:
    """Say that nobody has a base image, and what to do: `refusal` is registries' word, `to_get` its benchmark's."""
    alias = alias_of(ref, site)
    refusal = f"{refusal}; to get it: {to_get}" if to_get else refusal
    if alias is not None:
        return f"{refusal}; its alias {alias} is not in the engine: `doit bootstrap-image {ref}`"
    stand_in = "name a stand-in under site.image_aliases in benchrouter.local.yaml"
    if not has_recipe(ref):
        return f"{refusal}. Without a registry, {stand_in}"
    return f"{refusal}. Without a registry, `doit bootstrap-image {ref}` makes one from Debian packages; or {stand_in}"


def present(engine: Engine, ref: str, platform: str | None = None) -> Image | None:
    """Look a base up in the engine; one of another platform than asked for does not count."""
    found = inspect_image(engine, ref)
    if found is None or platform is None or _fits(found.platform, platform):
        return found
    return None


def ensure_base(
    engine: Engine,
    ref: str,
    site: Site,
    *,
    cancelled: threading.Event,
    on_line: Callable[[str], None] = lambda _: None,
    platform: str | None = None,
    refresh: bool = False,
    from_archive: Callable[[str], str | None] = lambda _: None,
    to_get: str = "",
) -> BaseImage:
    """Make a base available in the order engine, archive, registry, site alias.

    `from_archive` loads an image and gives the name that it can be used by, None when the archive has it not.
    `refresh` asks the registry even where the engine has the image; what it has serves when nobody answers.
    Raises ImageMissing with all that was tried and what to do, DiskFull, EngineError, BuildCancelled.
    """
    found = None if refresh else present(engine, ref, platform)
    if found is not None:
        return _base(ref, ref, found, "engine")
    loaded = None if refresh else from_archive(ref)
    if loaded is not None:
        found = present(engine, loaded, platform)
        if found is not None:
            return _base(ref, loaded, found, "archive")
    tries = deadlines.PULL_TRIES if alias_of(ref, site) is None else 1
    try:
        pulled = pull(engine, ref, site, os.environ, cancelled, on_line, platform, tries=tries)
        image = _required(engine, pulled.name, platform)
        return BaseImage(ref, pulled.name, image.id, pulled.repo_digests or image.repo_digests, "registry")
    except ImageMissing as refusal:
        other = _fallback(engine, ref, site, platform, from_archive)
        if other is None:
            raise ImageMissing(lacking(ref, str(refusal), site, to_get)) from None
        return other


def _fallback(
    engine: Engine,
    ref: str,
    site: Site,
    platform: str | None,
    from_archive: Callable[[str], str | None],
) -> BaseImage | None:
    """Find what serves where no registry gives a base: the engine's own after all, the site's alias."""
    found = present(engine, ref, platform)
    if found is not None:
        return _base(ref, ref, found, "engine")
    alias = alias_of(ref, site)
    found = present(engine, alias, platform) if alias else None
    if found is None and alias and from_archive(alias):
        found = present(engine, alias, platform)
    return None if found is None or alias is None else _base(ref, alias, found, "alias")


def _required(engine: Engine, used: str, platform: str | None) -> Image:
    found = present(engine, used, platform)
    if found is None:
        raise EngineError(f"the engine pulled {used} and does not have it for {platform or 'this platform'}")
    return found


def _base(ref: str, used: str, image: Image, how: How) -> BaseImage:
    return BaseImage(ref, used, image.id, image.repo_digests, how)


def _fits(have: str, wanted: str) -> bool:
    return have == wanted or have.startswith(f"{wanted}/") or wanted.startswith(f"{have}/")
