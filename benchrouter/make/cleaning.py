"""What `doit clean` may remove: what can be made again, and results only when they are named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError
from benchrouter.engine.images import remove_name
from benchrouter.engine.workspace_images import workspace_images
from benchrouter.keys.cache import sweep
from benchrouter.make.aggregates import superseded_aggregates
from benchrouter.make.session import Session
from benchrouter.make.variables import UsageError
from benchrouter.store import layout
from benchrouter.store.atomic import remove_dir
from benchrouter.store.stale import clean_stale


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
    return _remove([cache / name for name in ("config", "trees", "images", "seeds", "hashes")], session, dry=dry)


def clean_models(session: Session, *, dry: bool) -> Removal:
    """Remove the embedded models that were installed, and their logs; wait for an installation that is under way."""
    from benchrouter.models.smollm2.install import install_lock

    models = layout.models_dir(session.ws)
    if dry or not models.is_dir():
        return _remove([models], session, dry=dry)
    with install_lock(session.ws, print):
        return _remove([models], session, dry=dry)


def clean_results(session: Session, *, dry: bool) -> Removal:
    """Remove results: of the models and benchmarks that are given, else all of them."""
    variables = session.variables
    if not variables.models and not variables.bench:
        return _remove([session.ws.results], session, dry=dry)
    return _remove(list(_chosen_results(session)), session, dry=dry)


def _chosen_results(session: Session) -> Iterator[Path]:
    for choice in session.sources.selected:
        name = choice.scanned.benchmark.name
        if not session.variables.models:
            yield session.ws.results / name
        for model in session.variables.models:
            yield layout.model_dir(session.ws, name, model)


def clean_superseded(session: Session) -> Removal:
    """Remove artifacts of keys that are no longer current, old failed attempts and their leftovers."""
    if not session.variables.models:
        raise UsageError("stale=1 needs model=NAME: what is current depends on the model")
    variables = dict(session.sources.ask.variables)
    gone = clean_stale(
        session.ws,
        [(job.id, job.key) for job in session.graph.jobs],
        lambda inputs: inputs.get("variables", {}) == variables,
    )
    for path in [path for node in session.graph.aggregates for path in superseded_aggregates(session, node)]:
        path.unlink(missing_ok=True)
        gone.append(path)
    sweep(layout.hashes_dir(session.ws))
    trees = {job.facts.tree_digest for job in session.graph.jobs}
    copied = () if session.sources.left_out else (session.ws.cache / "trees").glob("*")  # theirs are not known
    old_trees = [path for path in copied if path.name not in trees]
    copies = _remove(old_trees, session, dry=False)
    images = _superseded_images(session)
    archived = _superseded_archives(session)
    removed = (*(_shown(session, path) for path in gone), *copies.removed, *images.removed, *archived)
    return Removal(removed, (*copies.failed, *images.failed))


def _superseded_images(session: Session) -> Removal:
    """Remove images of this workspace's environments whose key is not the present one; no engine, no images."""
    ws_id = session.ws.peek_id()
    if ws_id is None:
        return Removal(())
    try:
        engine = Engine.connect(session.sources.settings.site.engine)
    except EngineError:
        return Removal(())
    current = {image.tag for image in session.graph.images.values()}
    repositories = {tag.rpartition(":")[0] for tag in current}
    try:
        old = [
            name
            for name in workspace_images(engine, ws_id)
            if name.rpartition(":")[0] in repositories and name not in current
        ]
        return Removal(tuple(f"image {name}" for name in old if remove_name(engine, name)))
    finally:
        engine.close()


def _superseded_archives(session: Session) -> Iterator[str]:
    """Drop archived images of this workspace's environments whose key is not the present one."""
    from benchrouter.engine.archive import Archive

    archive = Archive(session.ws)
    current = {image.tag for image in session.graph.images.values()}
    repositories = {tag.rpartition(":")[0] for tag in current}
    old = [
        entry.reference
        for entry, _ in archive.all()
        if entry.reference.rpartition(":")[0] in repositories and entry.reference not in current
    ]
    if old:
        archive.forget(old)
    return (f"archived image {reference}" for reference in old)


def _remove(paths: list[Path], session: Session, *, dry: bool) -> Removal:
    removed: list[str] = []
    failed: list[str] = []
    for path in paths:
        if not path.exists():
            continue
        try:
            gone = dry or remove_dir(path)
            (removed if gone else failed).append(_shown(session, path))
        except OSError as error:
            failed.append(f"{_shown(session, path)}: {error.strerror}")
    return Removal(tuple(removed), tuple(failed))


def _shown(session: Session, path: Path) -> str:
    return str(path.relative_to(session.ws.root)) if path.is_relative_to(session.ws.root) else str(path)
