"""The site's apt mirror in builds: each base's own source lists, rewritten, over which they are mounted."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError
from benchrouter.engine.site_build import secret_id
from benchrouter.spec.dockerfile import parse
from benchrouter.spec.dockerfile.lex import lex

_DIRECTORY = "/etc/apt"
_LIST = re.compile(r"apt/(sources\.list|sources\.list\.d/[^/]+\.(list|sources))")
_DEBIAN = re.compile(r"https?://(?:deb|ftp|security)(?:\.[a-z]+)?\.debian\.org/(debian(?:-security)?)(?=[/\s]|$)")


@dataclass(frozen=True)
class MirroredSources:
    """Rewritten lists: `files` are secrets by name, `mounts` the options of RUN by base image."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    mounts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def mirrored_sources(
    engine: Engine, bases: Iterable[str], mirror: str | None, labels: Mapping[str, str]
) -> MirroredSources:
    """Rewrite the source lists of each base for `mirror`, the URL of a Debian archive (`…/debian`).

    The security archive is looked for beside it, at `…/debian-security`.
    """
    files: dict[str, bytes] = {}
    mounts: dict[str, tuple[str, ...]] = {}
    for base in dict.fromkeys(bases) if mirror else ():
        options: list[str] = []
        for path, text in _source_lists(engine, base, labels).items():
            rewritten = with_mirror(text, mirror or "")
            if rewritten != text:
                name = f"apt-{len(files)}"
                files[name] = rewritten.encode("utf-8")
                options.append(f"type=secret,id={secret_id(name)},target={path},mode=0444")
        if options:
            mounts[base] = tuple(options)
    return MirroredSources(files, mounts)


def with_mirror(text: str, mirror: str) -> str:
    """Replace Debian's own archives in a source list (pure)."""
    archive = mirror.rstrip("/")
    return _DEBIAN.sub(lambda found: archive + found[1].removeprefix("debian"), text)


def with_base_mounts(text: str, build_args: Mapping[str, str], mounts: Mapping[str, tuple[str, ...]]) -> str:
    """Add to each RUN the mounts of the base that its stage goes back to (pure)."""
    if not mounts:
        return text
    roots: list[str] = []
    aliases: dict[str, str] = {}
    for stage in parse(text, build_args).stages:
        roots.append(aliases.get(stage.base_resolved.lower(), stage.base_resolved))
        if stage.alias is not None:
            aliases[stage.alias] = roots[-1]
    edits: list[tuple[int, str]] = []
    stage_index = -1
    for instruction in lex(text).instructions:
        stage_index += instruction.name == "FROM"
        if instruction.name == "RUN" and stage_index >= 0:
            options = "".join(f" --mount={each}" for each in mounts.get(roots[stage_index], ()))
            edits.append((instruction.keyword.end, options))
    for at, options in reversed(edits):
        text = text[:at] + options + text[at:]
    return text


def _source_lists(engine: Engine, base: str, labels: Mapping[str, str]) -> dict[str, str]:
    """Read the lists of an image through a container that never starts."""
    api: Any = engine.api
    config = {
        "Image": base,
        "Entrypoint": ["/benchrouter-reading"],
        "Labels": dict(labels),
        "HostConfig": {"NetworkMode": "none", "LogConfig": {"Type": "none"}},
    }
    with engine.errors(f"reading the apt sources of {base}"):
        container = str(api.create_container_from_config(config, None)["Id"])
    try:
        with engine.errors(f"reading the apt sources of {base}"):
            stream, _ = api.get_archive(container, _DIRECTORY)
            packed = b"".join(stream)
    except EngineError as error:
        if "could not find" in str(error).lower() or "no such" in str(error).lower():
            return {}
        raise
    finally:
        with engine.errors("removing a container"):
            api.remove_container(container, force=True, v=True)
    return _lists_in(packed)


def _lists_in(packed: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        for member in tar:
            content = tar.extractfile(member) if member.isfile() and _LIST.fullmatch(member.name) else None
            if content is not None:
                found[f"/etc/{member.name}"] = content.read().decode("utf-8", errors="replace")
    return found
