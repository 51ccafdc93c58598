"""Building one image for one key, and giving it its name so that no unnamed one is left."""

from __future__ import annotations

import json
import os
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchrouter.engine import buildkit, classic
from benchrouter.engine.apt_sources import MirroredSources, mirrored_sources, with_base_mounts
from benchrouter.engine.client import Engine
from benchrouter.engine.docker_cli import Cli, find_cli
from benchrouter.engine.errors import EngineError, ImageBuildFailed
from benchrouter.engine.frontend import settle_frontend
from benchrouter.engine.images import find_by_key, image_id, remove_unnamed, tag_image
from benchrouter.engine.labels import image_labels, object_labels
from benchrouter.engine.naming import name_image
from benchrouter.engine.prepared import Prepared
from benchrouter.engine.site_build import Delivery, deliver, mask, site_secrets, with_arguments
from benchrouter.spec.dockerfile import DockerfileError, parse, rewrite
from benchrouter.spec.inputs import read_input
from benchrouter.spec.settings import Site

_TAIL = 60


@dataclass(frozen=True)
class BuildRequest:
    """Everything about one build.

    `context_paths` are the paths, relative to `context`, of all that the builder may see (what the key was
    hashed over), None for everything. `bases` maps each reference, after substitution of arguments, to the
    name to use for it. `scratch` is a directory of ours for the copy of the context.
    `base_facts` says what each base really was; the image carries it for the provenance of its jobs.
    """

    tag: str
    key: str
    dockerfile: Path
    context: Path
    workspace_id: str
    run_id: str
    context_paths: tuple[str, ...] | None = None
    build_args: Mapping[str, str] = field(default_factory=dict)
    platform: str | None = None
    bases: Mapping[str, str] = field(default_factory=dict)
    no_cache: bool = False
    owner: str = ""
    site: Site = field(default_factory=Site)
    scratch: Path | None = None
    base_facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class BuiltImage:
    """A named image; `how` tells whether it was there, found under another name, or built."""

    id: str
    tag: str
    how: str


def build(
    engine: Engine,
    request: BuildRequest,
    on_line: Callable[[str], None],
    cancelled: threading.Event,
) -> BuiltImage:
    """Build, or find, the image of a key, and name it.

    Raises ImageBuildFailed with the end of the log, ImageMissing, DiskFull, EngineError, BuildCancelled.
    """
    if not request.no_cache:
        found = _reuse(engine, request)
        if found is not None:
            return found
    text = _read(request.dockerfile)
    cli, refusal = find_cli(os.environ)
    uses_buildkit = engine.info.buildkit and cli is not None
    refuse_unbuildable(engine, text, request, cli, refusal)
    note = ""
    if uses_buildkit:
        text, note = settle_frontend(engine, text, str(request.dockerfile), request.site, cancelled)
    delivery = deliver(request.site, buildkit=uses_buildkit, ca_bundle=ca_bundle(request.site))
    tail: deque[str] = deque(maxlen=_TAIL)

    def hear(line: str) -> None:
        shown = mask(line, delivery.masked)
        tail.append(shown)
        on_line(shown)

    for each in (*delivery.notes, note):
        if each:
            hear(each)
    with tempfile.TemporaryDirectory(prefix="build-", dir=request.scratch) as scratch:
        sources = _apt_sources(engine, request) if uses_buildkit else MirroredSources()
        prepared = _prepare(request, text, delivery, sources, Path(scratch), uses_buildkit)
        if uses_buildkit and cli is not None:
            made = buildkit.build(engine, cli, prepared, hear, tail, cancelled)
        else:
            made = classic.build(engine, prepared, hear, tail, cancelled)
    final = name_image(
        engine,
        made,
        request.tag,
        labels=object_labels(request.workspace_id, request.run_id, owner=request.owner),
        drop=lambda image: remove_unnamed(engine, image, request.workspace_id, request.run_id),
        replace=request.no_cache,
    )
    return BuiltImage(final, request.tag, "built" if final == made else "engine")


def refuse_unbuildable(engine: Engine, text: str, request: BuildRequest, cli: Cli | None, why: str) -> None:
    """Raise ImageBuildFailed, before anything is built, for what engine and client cannot build together."""
    try:
        needs = parse(text, request.build_args).needs_buildkit
    except DockerfileError as error:
        raise ImageBuildFailed(f"{request.dockerfile}:{error.line}: {error}") from None
    if needs is None or (engine.info.buildkit and cli is not None):
        return
    lacking = f"the engine {engine.info.version} has none" if not engine.info.buildkit else why
    raise ImageBuildFailed(
        f"{request.dockerfile}: {needs} needs BuildKit, but {lacking}; "
        "install a docker client with BuildKit (Debian: docker.io, docker-buildx)"
    )


def _reuse(engine: Engine, request: BuildRequest) -> BuiltImage | None:
    there = image_id(engine, request.tag)
    if there is not None:
        return BuiltImage(there, request.tag, "engine")
    twin = find_by_key(engine, request.key)
    if twin is None:
        return None
    tag_image(engine, twin, request.tag)
    return BuiltImage(twin, request.tag, "twin")


def _read(dockerfile: Path) -> str:
    try:
        return read_input(dockerfile).decode("utf-8")
    except OSError as error:
        raise ImageBuildFailed(f"{dockerfile}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ImageBuildFailed(f"{dockerfile}: not UTF-8 (byte {error.start})") from None


def check_secrets(engine: Engine, site: Site) -> None:
    """Raise EngineError for a password of the site that no builder here can keep out of images."""
    if site_secrets(site) and not (engine.info.buildkit and find_cli(os.environ)[0]):
        deliver(site, buildkit=False, ca_bundle=None)


def ca_bundle(site: Site) -> bytes | None:
    """Read the site's CA bundle; None when it has none. Raises EngineError."""
    if site.ca_bundle is None:
        return None
    try:
        return read_input(site.ca_bundle)
    except OSError as error:
        raise EngineError(f"site.ca_bundle {site.ca_bundle}: {error.strerror}") from None


def _apt_sources(engine: Engine, request: BuildRequest) -> MirroredSources:
    labels = object_labels(request.workspace_id, request.run_id, owner=request.owner)
    return mirrored_sources(engine, request.bases.values(), request.site.apt_mirror, labels)


def _prepare(
    request: BuildRequest,
    text: str,
    delivery: Delivery,
    sources: MirroredSources,
    scratch: Path,
    uses_buildkit: bool,
) -> Prepared:
    bases = json.dumps(request.base_facts, sort_keys=True) if request.base_facts else ""
    labels = image_labels(
        request.workspace_id, request.run_id, key=request.key, owner=request.owner, bases=bases
    )
    # BuildKit keeps no intermediate images, and a label that names a run would spoil its cache.
    stage_labels = {} if uses_buildkit else labels
    rewritten = rewrite(text, request.build_args, request.bases, stage_labels, delivery.mounts)
    mounted = with_base_mounts(rewritten, request.build_args, sources.mounts)
    return Prepared(
        dockerfile=with_arguments(mounted, delivery.variables),
        files={**delivery.files, **sources.files},
        context=request.context,
        context_paths=request.context_paths,
        build_args=request.build_args,
        platform=request.platform,
        no_cache=request.no_cache,
        labels=labels,
        delivery=delivery,
        network=request.site.build_network,
        timeout=request.site.build_timeout,
        run_id=request.run_id,
        workspace_id=request.workspace_id,
        scratch=scratch,
    )
