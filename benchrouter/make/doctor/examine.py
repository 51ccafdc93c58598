"""All examinations, in the order in which they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from benchrouter import __version__
from benchrouter.make.doctor.engine import examine_engine
from benchrouter.make.doctor.finding import Finding, broken, ok
from benchrouter.make.doctor.machine import examine_machine, examine_workspace
from benchrouter.spec.problems import SpecError
from benchrouter.spec.settings import Site, load_settings
from benchrouter.store.journal import dead_owners
from benchrouter.store.workspace import Workspace


def examine(ws: Workspace, here: Path, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Look at everything; write nothing, start nothing. A workspace that is none is only said to be so."""
    yield ok("benchrouter", __version__)
    yield from examine_workspace(ws, here, len(dead_owners(ws)))
    site = Site()
    try:
        settings, warnings = load_settings(ws.root, environ)
        site = settings.site
        yield ok("settings", f"{len(warnings)} warnings" if warnings else "sound")
    except SpecError as error:
        yield broken("settings", str(error), "no command that reads them works", "mend what the lines say")
    yield from examine_engine(site, environ)
    yield from examine_machine(ws, site, environ)
