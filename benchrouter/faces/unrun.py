"""What a workspace has, whether it was run or not: of that, no result yet is no mistake."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Unrun:
    """The benchmarks by name, each with its tasks, and the models that are declared or embedded."""

    tasks: Mapping[str, frozenset[str]] = field(default_factory=dict)
    models: Collection[str] = ()


def unrun_of(root: Path) -> Unrun:
    """Look at names alone: files with faults are for a run to tell."""
    from benchrouter.make.sources import benchmarks_of
    from benchrouter.models.model import EMBEDDED
    from benchrouter.spec.benchmark import TASK_FILE
    from benchrouter.spec.settings import load_plain_settings
    from benchrouter.store.workspace import Workspace

    tasks = {
        name: frozenset(path.parent.name for path in place.glob(f"*/{TASK_FILE}"))
        for name, place in benchmarks_of(Workspace(root)).items()
    }
    plain, _ = load_plain_settings(root)
    return Unrun(tasks, (*EMBEDDED, *(plain.data.get("models") or {})))
