"""Where a command works: in the workspace around the directory in which it was typed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchrouter.make.session import Session
    from benchrouter.store.workspace import Workspace


def enter() -> Workspace:
    """Go to the nearest workspace, as doit does; paths that were typed are still meant from where the person stands."""
    from benchrouter.store.problems import StoreError
    from benchrouter.store.workspace import Workspace

    try:
        found = Workspace.find(Path.cwd())
    except StoreError as error:
        raise StoreError(f"{error} `benchrouter init DIRECTORY` makes a new one.") from None
    os.environ["BENCHROUTER_CWD"] = str(Path.cwd())
    os.chdir(found.root)
    return found


def enter_if_any() -> Workspace:
    """Go to the nearest workspace; without one, look at things from where the person stands."""
    from benchrouter.store.problems import StoreError
    from benchrouter.store.workspace import Workspace

    try:
        return enter()
    except StoreError:
        return Workspace(Path.cwd())


def session(
    given: Mapping[str, str] | None = None,
    *,
    named: list[str] | None = None,
    whole: bool = False,
    lenient: bool = False,
) -> Session:
    """Enter the workspace and begin a session that only looks; a `lenient` one leaves faulty benchmarks out."""
    from benchrouter.make.session import Session

    enter()
    return Session.begin(given or {}, named=named or (), whole=whole, lenient=lenient)


def typed_path(path: str | Path) -> Path:
    """Make a path absolute that was typed where the person stands."""
    here = Path(os.environ.get("BENCHROUTER_CWD") or Path.cwd())
    return here / Path(path).expanduser()
