"""What `clean stale=1` removes: results of earlier states, and the images and copies that go with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError
from benchrouter.engine.images import remove_name
from benchrouter.engine.workspace_images import workspace_images
from benchrouter.graph.build import build
from benchrouter.graph.nodes import JobNode
from benchrouter.keys.cache import sweep
from benchrouter.make.aggregates import superseded_aggregates
from benchrouter.make.cleaning import Removal, remove_paths, shown
from benchrouter.make.session import Session
from benchrouter.make.variables import UsageError
from benchrouter.scores.seeds import typed_seed
from benchrouter.store import layout
from benchrouter.store.history import repeats
from benchrouter.store.jobid import JobId
from benchrouter.store.stale import clean_stale


def clean_superseded(session: Session, *, dry: bool) -> Removal:
    """Remove artifacts of keys that are no longer current, old failed attempts and their leftovers."""
    if not session.variables.models:
        raise UsageError("stale=1 needs model=NAME: what is current depends on the model")
    jobs = _every_repeat(session)
    gone = clean_stale(session.ws, [(job.id, job.key) for job in jobs], _Ask(session, jobs).made, dry=dry)
    aggregates = [p for node in session.graph.aggregates for p in superseded_aggregates(session, node, set(gone))]
    for path in () if dry else aggregates:
        path.unlink(missing_ok=True)
    if not dry:
        sweep(layout.hashes_dir(session.ws))
    trees = {job.facts.tree_digest for job in session.graph.jobs}
    copied = () if session.sources.left_out else (session.ws.cache / "trees").glob("*")  # theirs are not known
    copies = remove_paths([path for path in copied if path.name not in trees], session, dry=dry)
    images = _clean_images(session, dry=dry)
    archived = _clean_archives(session, dry=dry)
    removed = (*(shown(session, path) for path in [*gone, *aggregates]), *copies.removed, *images.removed, *archived)
    return Removal(removed, (*copies.failed, *images.failed))


def _every_repeat(session: Session) -> tuple[JobNode, ...]:
    """Give the jobs of as many repeats as there are results of: those of one selection stay or go together."""
    sources, jobs = session.sources, session.graph.jobs
    most = max([1, *(repeats(session.ws, job.id) for job in jobs if not job.id.repeat)])
    most = max([most, *(job.id.repeat + 1 for job in jobs)])
    return build(replace(sources.ask, repeat=most), sources.selected, sources.environments).jobs


class _Ask:
    """Tells whether an artifact was asked for as now: results under other variables or seeds are other ones."""

    def __init__(self, session: Session, jobs: Iterable[JobNode]) -> None:
        self._variables = dict(session.sources.ask.variables)
        self._seeds = {job.id: typed_seed(job.seed, job.facts.task().score_fields()) for job in jobs}

    def made(self, id: JobId, inputs: Mapping[str, Any]) -> bool:
        same_seed: bool = typed_seed(inputs.get("seed"), inputs.get("task")) == self._seeds[id]
        return same_seed and inputs.get("variables", {}) == self._variables


def _clean_images(session: Session, *, dry: bool) -> Removal:
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
        return Removal(tuple(f"image {name}" for name in old if dry or remove_name(engine, name)))
    finally:
        engine.close()


def _clean_archives(session: Session, *, dry: bool) -> tuple[str, ...]:
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
    if old and not dry:
        archive.forget(old)
    return tuple(f"archived image {reference}" for reference in old)
