"""What a shell offers after a tab: names that can be read cheaply, none when something is in the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def benchmarks(incomplete: str) -> list[str]:
    """Offer the benchmarks of the workspace."""
    return [name for name in _names("*/benchmark.yaml") if name.startswith(incomplete)]


def tasks(incomplete: str) -> list[str]:
    """Offer the tasks of all benchmarks; of a list, the last word is completed."""
    done, comma, last = incomplete.rpartition(",")
    names = dict.fromkeys(_names("*/*/task.yaml"))
    return [f"{done}{comma}{name}" for name in names if name.startswith(last)]


def models(incomplete: str) -> list[str]:
    """Offer the embedded models and those that are declared; of a list, the last word is completed."""
    done, comma, last = incomplete.rpartition(",")
    return [f"{done}{comma}{name}" for name in _models() if name.startswith(last)]


def _models() -> Iterator[str]:
    from benchrouter.models.model import EMBEDDED
    from benchrouter.spec.settings import load_settings
    from benchrouter.store.workspace import Workspace

    yield from EMBEDDED
    try:
        settings, _ = load_settings(Workspace.find(Path.cwd()).root, {})
        yield from (name for name in settings.models if name not in EMBEDDED)
    except Exception:  # whatever is wrong, a tab is no place to say so
        return


def _names(pattern: str) -> list[str]:
    from benchrouter.store.workspace import Workspace

    try:
        found = Workspace.find(Path.cwd()).benchmarks.glob(pattern)
        return sorted(path.parent.name for path in found)
    except Exception:  # whatever is wrong, a tab is no place to say so
        return []


def run_ids(incomplete: str) -> list[str]:
    """Offer the ids of runs, the newest first."""
    names = dict.fromkeys(_runs())
    return [name for name in sorted(names, reverse=True) if name.startswith(incomplete)][:50]


def _runs() -> Iterator[str]:
    from benchrouter.store.workspace import Workspace

    try:
        here = Workspace.find(Path.cwd()).runs
        yield from (path.stem for path in here.iterdir() if path.suffix in (".json", ".owner"))
    except Exception:  # whatever is wrong, a tab is no place to say so
        return


def jobs(incomplete: str) -> list[str]:
    """Offer the tasks that have results, as BENCHMARK/TASK."""
    from benchrouter.store.workspace import Workspace

    try:
        root = Workspace.find(Path.cwd()).results
        found = {f"{path.parent.parent.name}/{path.name}" for path in root.glob("*/*/*") if path.is_dir()}
    except Exception:  # whatever is wrong, a tab is no place to say so
        return []
    return sorted(name for name in found if name.startswith(incomplete) and not name.endswith("/aggregates"))


def environments(incomplete: str) -> list[str]:
    """Offer the environments that benchmarks bring, as BENCHMARK/ENVIRONMENT."""
    from benchrouter.store.workspace import Workspace

    try:
        found = Workspace.find(Path.cwd()).benchmarks.glob("*/environments/*/Dockerfile")
        names = sorted(f"{path.parents[2].name}/{path.parent.name}" for path in found)
    except Exception:  # whatever is wrong, a tab is no place to say so
        return []
    return [name for name in names if name.startswith(incomplete)]
