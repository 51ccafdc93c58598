"""What `doit clean` may remove: what can be made again, and results only when they are named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError
from benchrouter.engine.images import remove_name
from benchrouter.engine.workspace_images import workspace_images
from benchrouter.make.session import Session
from benchrouter.store import layout
from benchrouter.store.atomic import remove_dir


@dataclass(frozen=True)
class Removal:
    """What was, or in a dry run would be, removed; `failed` says what could not be."""

    removed: tuple[str, ...]
    failed: tuple[str, ...] = ()


def clean_images(session: Session, words: list[str], *, dry: bool) -> Removal:
    """Remove the images that this workspace built; `words` are node names or patterns, none means all."""
    ws_id = session.ws.peek_id()
    if ws_id is None:
        return Removal(())
    try:
        engine = Engine.connect(session.sources.settings.site.engine)
    except EngineError as error:
        return Removal((), (f"images: {error}",))
    wanted = {
        image.tag for name, image in session.graph.images.items() if any(fnmatchcase(name, w) for w in words)
    }
    removed: list[str] = []
    failed: list[str] = []
    try:
        for name in workspace_images(engine, ws_id):
            if words and name not in wanted:
                continue
            gone = dry or remove_name(engine, name)
            (removed if gone else failed).append(f"image {name}")
    finally:
        engine.close()
    return Removal(tuple(removed), tuple(f"{name} (in use)" for name in failed))


def clean_directories(session: Session, *, dry: bool) -> Removal:
    """Remove rendered configuration, copied trees, archives, seeds and caches of hashes."""
    cache = session.ws.cache
    return remove_paths([cache / name for name in ("config", "trees", "images", "seeds", "hashes")], session, dry=dry)


def clean_models(session: Session, *, dry: bool) -> Removal:
    """Remove the embedded models that were installed, and their logs; wait for an installation that is under way."""
    from benchrouter.models.smollm2.install import install_lock

    models = layout.models_dir(session.ws)
    if dry or not models.is_dir():
        return remove_paths([models], session, dry=dry)
    with install_lock(session.ws, print):
        return remove_paths([models], session, dry=dry)


def clean_results(session: Session, *, dry: bool) -> Removal:
    """Remove results: of the models and benchmarks that are given, else all of them."""
    variables = session.variables
    if not variables.models and not variables.bench:
        return remove_paths([session.ws.results], session, dry=dry)
    return remove_paths(list(_chosen_results(session)), session, dry=dry)


def _chosen_results(session: Session) -> Iterator[Path]:
    for choice in session.sources.selected:
        name = choice.scanned.benchmark.name
        if not session.variables.models:
            yield session.ws.results / name
        for model in session.variables.models:
            yield layout.model_dir(session.ws, name, model)


def remove_paths(paths: Iterable[Path], session: Session, *, dry: bool) -> Removal:
    """Remove files and directories, those that are there, or in a dry run say which."""
    removed: list[str] = []
    failed: list[str] = []
    for path in paths:
        if not path.exists():
            continue
        try:
            gone = dry or remove_dir(path)
            (removed if gone else failed).append(shown(session, path))
        except OSError as error:
            failed.append(f"{shown(session, path)}: {error.strerror}")
    return Removal(tuple(removed), tuple(failed))


def shown(session: Session, path: Path) -> str:
    """Write a path as from the workspace."""
    return str(path.relative_to(session.ws.root)) if path.is_relative_to(session.ws.root) else str(path)
