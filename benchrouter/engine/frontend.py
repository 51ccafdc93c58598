"""Which BuildKit frontend reads a Dockerfile: the one that `# syntax=` asks for, else the engine's own."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

from benchrouter.engine.client import Engine
from benchrouter.engine.errors import ImageBuildFailed, ImageMissing
from benchrouter.engine.images import image_id
from benchrouter.engine.references import parse_reference
from benchrouter.engine.registry import pull
from benchrouter.spec.dockerfile.lex import Source, lex
from benchrouter.spec.settings import Site

_OFFICIAL = frozenset({"docker/dockerfile", "docker/dockerfile-upstream"})
_FIRST_WITH_NEWER = 23  # the engine whose own frontend reads heredocs and what came with them
_NEWER_FLAGS = frozenset({"--link", "--checksum", "--keep-git-dir", "--parents", "--exclude", "--unpack"})


def settle_frontend(
    engine: Engine, text: str, where: str, site: Site, cancelled: threading.Event
) -> tuple[str, str]:
    """Return the Dockerfile as it can be built, and a note when the frontend asked for could not be had.

    Docker's own frontend, where no registry gives it, is replaced by the engine's, which reads the same language.
    Raises ImageBuildFailed, before anything is built, where that does not do.
    """
    source = lex(text)
    refusal = ""
    if "syntax" in source.directives:
        asked, line = source.directives["syntax"]
        refusal = _obtain(engine, asked, site, cancelled)
        if not refusal:
            return text, ""
        if parse_reference(asked).path not in _OFFICIAL:
            raise ImageBuildFailed(f"{where}:{line}: the frontend `{asked}` cannot be had: {refusal}")
    newer = next(_newer_features(source), None)
    if newer is not None and _major(engine.info.version) < _FIRST_WITH_NEWER:
        hint = f" ({refusal})" if refusal else "; or start the file with `# syntax=docker/dockerfile:1`"
        raise ImageBuildFailed(
            f"{where}: {newer} needs an engine of version {_FIRST_WITH_NEWER} or newer, "
            f"this one is {engine.info.version}{hint}"
        )
    if not refusal:
        return text, ""
    note = f"the frontend `{source.directives['syntax'][0]}` cannot be had; the engine's own reads the Dockerfile"
    return _without_syntax(source), note


def _obtain(engine: Engine, asked: str, site: Site, cancelled: threading.Event) -> str:
    """Make a frontend available in the engine; say why where that fails."""
    if image_id(engine, asked) is not None:
        return ""
    try:
        pull(engine, asked, site, os.environ, cancelled, tries=2)
    except ImageMissing as error:
        return str(error)
    return ""


def _newer_features(source: Source) -> Iterator[str]:
    for instruction in source.instructions:
        if instruction.heredocs:
            yield f"the heredoc `<<{instruction.heredocs[0]}` on line {instruction.line}"
        for flag in instruction.flags:
            option = flag.text.partition("=")[0]
            if instruction.name in ("COPY", "ADD") and option in _NEWER_FLAGS:
                yield f"`{instruction.name} {option}` on line {instruction.line}"


def _without_syntax(source: Source) -> str:
    """Take the directive out; an empty comment behind the directives keeps the line numbers of all else."""
    lines = source.text.splitlines(keepends=True)
    last = max(line for _, line in source.directives.values())
    removed = source.directives["syntax"][1]
    kept = lines[: removed - 1] + lines[removed:last]
    return "".join([*kept, "#\n", *lines[last:]])


def _major(version: str) -> int:
    digits = version.split(".", 1)[0]
    return int(digits) if digits.isdigit() else _FIRST_WITH_NEWER
