"""The directories behind keys: what gets mounted, and whether it is still what was hashed."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from benchrouter.keys.facts import EnvironmentFacts, TaskFacts
from benchrouter.keys.tree import materialise, signature
from benchrouter.store.atomic import TEMPORARY, remove_dir
from benchrouter.store.workspace import Workspace


def tree_path(ws: Workspace, facts: TaskFacts) -> Path:
    """Name the directory to mount: the task's own, or a copy when links in it lead out of the task."""
    return ws.cache / "trees" / facts.tree_digest if facts.materialised else facts.root


def mounted_tree(ws: Workspace, facts: TaskFacts) -> Path:
    """Give the directory to mount, making the copy when it is needed and not there."""
    target = tree_path(ws, facts)
    if target.is_dir():
        return target
    staging = target.with_name(f".{facts.tree_digest}.{secrets.token_hex(4)}{TEMPORARY}")
    staging.parent.mkdir(parents=True, exist_ok=True)
    try:
        materialise(facts.root, staging, facts.root.parent)
        os.rename(staging, target)
    except OSError:
        if not target.is_dir():
            raise
        remove_dir(staging)
    return target


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
