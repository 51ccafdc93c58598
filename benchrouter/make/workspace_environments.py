"""Environments of the workspace as things: which there are and how they stand, how one comes and goes."""

from __future__ import annotations

import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from benchrouter.keys.cache import StatCache
from benchrouter.keys.environment import environment_facts
from benchrouter.make.plan_images import states_of
from benchrouter.make.session import Session
from benchrouter.make.variables import UsageError
from benchrouter.spec.benchmark import EnvironmentOptions
from benchrouter.spec.names import component_fault, did_you_mean
from benchrouter.spec.problems import SpecError
from benchrouter.store import layout
from benchrouter.store.atomic import publish_dir
from benchrouter.store.intake import forget, take_in, top_of
from benchrouter.store.workspace import Workspace

DOCKERFILE = "Dockerfile"


@dataclass(frozen=True)
class EnvironmentState:
    """An environment as a benchmark uses it; `state` None where no engine answers, and it is not in the archive.

    One of the workspace that no benchmark uses has no `benchmark`, tag or key.
    """

    name: str
    benchmark: str | None
    path: str
    tag: str | None = None
    key: str | None = None
    state: str | None = None


def environment_states(session: Session) -> list[EnvironmentState]:
    """List the environments of all selected benchmarks, and those of the workspace that none of them uses."""
    images = session.graph.images
    states = states_of(session, images)
    found = [
        EnvironmentState(
            image.environment, image.benchmark, str(image.facts.root), image.tag, image.key, states[name] or None
        )
        for name, image in images.items()
    ]
    used = {Path(each.path).resolve() for each in found}
    own = sorted(session.ws.environments.glob(f"*/{DOCKERFILE}"))
    unused = [path.parent for path in own if path.parent.resolve() not in used]
    return [*found, *(EnvironmentState(path.name, None, str(path)) for path in unused)]


def register_environment(
    ws: Workspace, name: str, *, dockerfile: Path | None = None, directory: Path | None = None, replacing: bool = False
) -> Path:
    """Take a Dockerfile, or a directory with one, into the workspace; whole or not at all.

    Raise UsageError, StoreError for what may not be taken in, or SpecError for a Dockerfile that cannot be read.
    """
    fault = component_fault(name)
    if fault:
        raise UsageError(f"{name!r} cannot be an environment's name: {fault}")
    source = dockerfile or directory
    if source is None or not source.exists():
        raise UsageError(f"{source}: no such file or directory")
    target = ws.environments / name
    if os.path.lexists(target) and not replacing:
        raise UsageError(f"an environment `{name}` is there already: {target}; --replace puts this one in its place")
    ws.id_file.parent.mkdir(exist_ok=True)
    fresh = ws.id_file.parent / f"tree-{secrets.token_hex(6)}"
    try:
        if directory is not None and directory.is_dir() and not (directory / DOCKERFILE).is_file():
            raise UsageError(f"{directory}: no {DOCKERFILE} in it")
        if directory is not None:
            take_in(directory, fresh)
        else:
            fresh.mkdir()
            shutil.copyfile(source, fresh / DOCKERFILE)
        root = top_of(fresh, DOCKERFILE)
        _check(ws, root, source)
        publish_dir(root, target, valid=lambda _: True, replace=replacing)
    finally:
        forget(fresh)
    return target


def _check(ws: Workspace, fresh: Path, source: Path) -> None:
    if not (fresh / DOCKERFILE).is_file():
        raise UsageError(f"{source}: no {DOCKERFILE} in it")
    try:
        environment_facts(fresh, EnvironmentOptions(), StatCache.load(layout.hashes_dir(ws), fresh))
    except SpecError as error:
        told = str(error).replace(f"{fresh}/{DOCKERFILE}", str(source / DOCKERFILE if source.is_dir() else source))
        raise UsageError(told.replace(str(fresh), str(source))) from None


def delete_environment(ws: Workspace, name: str) -> Path:
    """Remove an environment of the workspace; raise UsageError where there is none."""
    target = ws.environments / name
    if component_fault(name) or not os.path.lexists(target):
        known = [path.parent.name for path in ws.environments.glob(f"*/{DOCKERFILE}")]
        raise UsageError(f"no environment `{name}` in {ws.environments}{did_you_mean(name, known)}")
    ws.id_file.parent.mkdir(exist_ok=True)
    aside = ws.id_file.parent / f"tree-{secrets.token_hex(6)}"
    target.rename(aside)
    forget(aside)
    return target
