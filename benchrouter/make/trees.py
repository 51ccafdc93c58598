"""The directories behind keys: what gets mounted, and whether it is still what was hashed."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from benchrouter.keys.facts import NOT_IN_KEY, EnvironmentFacts, TaskFacts
from benchrouter.keys.tree import hash_tree, materialise, signature
from benchrouter.store.atomic import TEMPORARY, remove_dir
from benchrouter.store.workspace import Workspace


def tree_path(ws: Workspace, facts: TaskFacts) -> Path:
    """Name the directory to mount: the task's own, or a copy when links in it lead out of the task."""
    return ws.cache / "trees" / facts.tree_digest if facts.materialised else facts.root


def mounted_tree(ws: Workspace, facts: TaskFacts) -> Path:
    """Give the directory to mount, making the copy when it is needed and not there.

    Raises SpecError or OSError when the tree is no longer what was scanned.
    """
    planned = tree_path(ws, facts)
    if not facts.materialised or planned.is_dir():
        return planned
    planned.parent.mkdir(parents=True, exist_ok=True)
    staging = planned.with_name(f".{facts.tree_digest}.{secrets.token_hex(4)}{TEMPORARY}")
    try:
        materialise(facts.root, staging, Path(facts.boundary))
        # Files may have changed since they were hashed: a copy is named after what it holds, never after the plan.
        target = planned.with_name(hash_tree(staging, exclude=NOT_IN_KEY).digest)
        if not target.is_dir():
            _rename(staging, target)
    finally:
        if staging.is_dir():
            remove_dir(staging)
    return target


def _rename(staging: Path, target: Path) -> None:
    try:
        os.rename(staging, target)
    except OSError:
        if not target.is_dir():
            raise


def what_changed(facts: TaskFacts) -> str | None:
    """Name the task's directory when its files are not as they were when the key was made; None when they are."""
    if facts.signature_now() == facts.signature:
        return None
    return f"{facts.root.name}/"


def environment_changed(facts: EnvironmentFacts) -> str | None:
    """Say that a build context is not as it was when the key was made; None when it is."""
    if signature(facts.root, ignore=facts.ignore()) == facts.signature:
        return None
    return f"files of environments/{facts.root.name}/ changed while the image was built; run again"
