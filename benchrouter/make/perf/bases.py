"""What the measurements build on, looked for before the first of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from benchrouter.engine.bases import alias_of, lacking, present
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError
from benchrouter.engine.reachable import registry_answers
from benchrouter.make.perf.emptyengine import CAN
from benchrouter.make.variables import UsageError
from benchrouter.spec.settings import Site, load_settings

_DEBIAN, _PYTHON = "debian:bookworm-slim", "python:3.12-slim"
_BASES = {
    "containers": (_DEBIAN,),
    "compose": (_DEBIAN,),
    "archive": (_DEBIAN, _PYTHON) if CAN else (_DEBIAN,),
    "dind": (_DEBIAN,),
}


def require_bases(parts: Iterable[str]) -> None:
    """Raise UsageError for bases of these measurements that nobody here has."""
    refs = dict.fromkeys(ref for part in parts for ref in _BASES.get(part, ()))
    if not refs:
        return
    site = load_settings(Path.cwd())[0].site
    try:
        engine = Engine.connect(site.engine)
    except EngineError as error:
        raise UsageError(str(error)) from None
    try:
        missing = [ref for ref in refs if not _is_there(engine, ref, site)]
    finally:
        engine.close()
    if missing and not registry_answers(site):
        said = "the engine does not have it, and no registry answers"
        raise UsageError("\n".join(lacking(ref, f"{ref}: {said}", site) for ref in missing))


def _is_there(engine: Engine, ref: str, site: Site) -> bool:
    return any(name and present(engine, name) is not None for name in (ref, alias_of(ref, site)))
