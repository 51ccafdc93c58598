"""What nobody needs any more: leftovers of killed processes, superseded artifacts, free lock files."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from benchrouter.store import layout, locks
from benchrouter.store.atomic import TEMPORARY, remove_dir
from benchrouter.store.history import superseded
from benchrouter.store.jobid import JobId
from benchrouter.store.workspace import Workspace

_HOUR = 3600.0


def clean_stale(
    ws: Workspace,
    current: Iterable[tuple[JobId, str]],
    of_this_ask: Callable[[JobId, Mapping[str, Any]], bool] = lambda *_: True,
    *,
    dry: bool = False,
) -> list[Path]:
    """Remove superseded artifacts and all failed attempts of the given jobs, and leftovers; return what goes.

    Jobs that are not named stay as they are: their current keys are not known. So do artifacts whose inputs are
    not `of_this_ask`: results under other variables are other results, not old ones. A `dry` call removes nothing.
    """
    tasks: dict[Path, dict[JobId, set[str]]] = {}
    for id, key in current:
        tasks.setdefault(layout.task_dir(ws, id), {}).setdefault(id, set()).add(key)
    gone = [path for known in tasks.values() for path in superseded(ws, next(iter(known)), known, of_this_ask)]
    gone += sorted(path for known in tasks.values() if (path := layout.failed_dir(ws, next(iter(known)))).is_dir())
    leftovers = [*_orphaned_attempts(ws), *_old_temporaries(ws, _HOUR)]
    if not dry:
        for path in gone:
            remove_dir(path)
        for path in leftovers:
            _remove(path)
        locks.remove_free(ws)
    return gone + leftovers


def remove_attempts(ws: Workspace, run_id: str) -> list[Path]:
    """Remove the attempt directories of a run that ended; return what could not be removed."""
    directory = layout.attempts_dir(ws, run_id)
    shutil.rmtree(directory, ignore_errors=True)
    return sorted(directory.iterdir()) if directory.is_dir() else []


def sweep_temporaries(ws: Workspace, older_than: float = _HOUR) -> list[Path]:
    """Remove what killed writers left half-written, once it is `older_than` seconds old; return what went.

    Such files are hidden and read by nobody; the age only spares a writer that is at work now. What lies deeper
    in the cache is not looked at: outputs of tasks may be called anything.
    """
    gone = list(_old_temporaries(ws, older_than))
    for path in gone:
        _remove(path)
    return gone


def _old_temporaries(ws: Workspace, older_than: float) -> Iterator[Path]:
    limit = time.time() - older_than
    hidden = chain(ws.cache.glob("*/.*"), layout.images_dir(ws).glob("*/.*"))
    yield from [path for path in hidden if _temporary(path.name) and path.lstat().st_mtime < limit]
    for root in (ws.root / ".benchrouter", ws.runs, layout.hashes_dir(ws), ws.results):
        for directory, subdirectories, files in os.walk(root):
            inside_artifact = layout.JOB in files
            for name in [*subdirectories, *files]:
                path = Path(directory, name)
                if not inside_artifact and _temporary(name) and path.lstat().st_mtime < limit:
                    yield path
            enter = [] if inside_artifact else subdirectories
            subdirectories[:] = [name for name in enter if not _temporary(name)]


def _orphaned_attempts(ws: Workspace) -> list[Path]:
    """List the attempts of runs that left no journal: ended, but killed before they could tidy up."""
    directories = sorted(layout.attempts_dir(ws, "x").parent.glob("*"))
    return [path for path in directories if not layout.owner_file(ws, path.name).exists()]


def _temporary(name: str) -> bool:
    return name.startswith(".") and name.endswith(TEMPORARY)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
