"""`doit bootstrap-image`: base images from Debian packages, for places with no registry."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchrouter.engine.client import Engine
from benchrouter.engine.errors import BuildCancelled, EngineError, ImageBuildFailed
from benchrouter.engine.labels import object_labels
from benchrouter.make.commands.guard import NOT_ALL_COMPLETED, OK
from benchrouter.make.commands.plain import PlainCommand
from benchrouter.make.interruption import end_like_ctrl_c
from benchrouter.make.session import Session, doit_variables
from benchrouter.make.variables import UsageError
from benchrouter.spec.settings import Site
from benchrouter.store import layout
from benchrouter.store.journal import Journal, Owner, dead_owners

_OPTIONS: tuple[dict[str, Any], ...] = (
    {
        "name": "packages",
        "long": "packages",
        "type": str,
        "default": "",
        "help": "Debian packages to put in, comma-separated, beside those of the recipe",
    },
    {"name": "suite", "long": "suite", "type": str, "default": "", "help": "Debian suite, for example bookworm"},
    {"name": "missing", "long": "missing", "type": bool, "default": False, "help": "all that the plan needs and lacks"},
    {"name": "again", "long": "again", "type": bool, "default": False, "help": "make it anew when it is there"},
)


@dataclass(frozen=True)
class How:
    """Packages beside those of the recipe, the Debian suite, whether to make anew what is there."""

    packages: tuple[str, ...]
    suite: str | None
    again: bool


class BootstrapImage(PlainCommand):
    """Makes stand-ins and writes the aliases into benchrouter.local.yaml, so that Dockerfiles stay as they are."""

    name = "bootstrap-image"
    doc_purpose = "make a base image from Debian packages, where no registry can be reached"
    doc_usage = "IMAGE ... [--packages a,b] [--suite NAME] | --missing [bench=...]"
    cmd_options = _OPTIONS

    def answer(self, options: Any, args: list[str]) -> int:
        """Make the named images, or those that the plan lacks when no registry answers."""
        end_like_ctrl_c()
        packages = tuple(word.strip() for word in options["packages"].split(",") if word.strip())
        how = How(packages, options["suite"] or None, options["again"])
        made = bootstrap_images(Session.begin(doit_variables(), lenient=True), args, how, missing=options["missing"])
        return OK if all(made.values()) else NOT_ALL_COMPLETED


def bootstrap_images(session: Session, words: list[str], how: How, *, missing: bool) -> dict[str, bool]:
    """Make the named images, or those that the plan lacks, and say of each whether it was made; raise UsageError."""
    site = session.sources.settings.site
    try:
        engine = Engine.connect(site.engine)
    except EngineError as error:
        raise UsageError(str(error)) from None
    try:
        refs = list(dict.fromkeys(words))
        if missing:
            refs = _missing(session, engine, site, _noted(session, engine, site))
        elif not words:
            raise UsageError("bootstrap which image? For example: doit bootstrap-image python:3.12-slim")
        return dict(zip(refs, _made(session, engine, refs, how), strict=True)) if refs else {}
    finally:
        engine.close()


def _noted(session: Session, engine: Engine, site: Site) -> set[str]:
    """Note the aliases of stand-ins that the engine has and this workspace does not know of; give their references.

    Its images may be there too, so that nothing is missing today; the next edit of a Dockerfile needs the bases.
    """
    from benchrouter.engine.bases import alias_of, present
    from benchrouter.engine.bootstrap import stand_in_name, standing
    from benchrouter.engine.reachable import registry_answers

    refs = [base.ref for base in session.graph.bases.values() if alias_of(base.ref, site) is None]
    found = [ref for ref in refs if present(engine, ref) is None and standing(engine, ref) is not None]
    if not found or registry_answers(site):
        return set()
    for ref in found:
        _note(session, ref, stand_in_name(ref))
        print(f"{ref} is {stand_in_name(ref)}, made before; noted in benchrouter.local.yaml", flush=True)
    return set(found)


def _note(session: Session, ref: str, name: str) -> None:
    from benchrouter.engine.local_settings import LocalSettingsError, add_alias

    try:
        add_alias(session.ws.root, ref, name)
    except LocalSettingsError as error:
        raise UsageError(str(error)) from None


def _missing(session: Session, engine: Engine, site: Site, noted: set[str]) -> list[str]:
    """List bases that images are to be built on and that neither engine, archive nor alias has.

    None when a registry answers, since it will have them.
    """
    from benchrouter.engine.archive import Archive
    from benchrouter.engine.bases import alias_of, present
    from benchrouter.engine.reachable import registry_answers

    archive = Archive(session.ws)

    def there(name: str) -> bool:
        return present(engine, name) is not None or archive.find(name) is not None

    wanted = [ref for image in session.graph.images.values() if not there(image.tag) for ref in image.bases]
    missing = [
        ref
        for ref in dict.fromkeys(wanted)
        if ref not in noted and not any(name and there(name) for name in (ref, alias_of(ref, site)))
    ]
    if missing and registry_answers(site):
        return []
    return missing


def _made(session: Session, engine: Engine, refs: list[str], how: How) -> Iterator[bool]:
    """Make each image; like a run's, what is left of it if we are killed goes with the next start."""
    from benchrouter.make.sweeping import swept_up

    session.ws.ensure()
    dead = dead_owners(session.ws)
    with swept_up(session, dead, lambda text: print(text, file=sys.stderr)), Journal.open(session.ws) as journal:
        notes = layout.attempts_dir(session.ws, journal.owner.run_id)
        try:
            yield from (_make(session, engine, ref, how, journal.owner) for ref in refs)
        finally:
            if not _is_empty(notes):
                journal.abandon()  # the next start tries again


def _is_empty(notes: Path) -> bool:
    try:
        notes.rmdir()
    except OSError:
        return not notes.exists()
    return True


def _make(session: Session, engine: Engine, ref: str, how: How, owner: Owner) -> bool:
    from benchrouter.engine.bootstrap import bootstrap
    from benchrouter.engine.scratch import noted_scratch

    print(f"{ref}: making a stand-in from Debian packages", flush=True)
    try:
        made = bootstrap(
            engine,
            ref,
            packages=how.packages,
            suite=how.suite,
            site=session.sources.settings.site,
            cancelled=threading.Event(),
            again=how.again,
            labels=object_labels(session.ws.id, owner.run_id, owner=owner.label),
            scratch=partial(noted_scratch, layout.attempts_dir(session.ws, owner.run_id), owner.run_id),
        )
        _note(session, ref, made.name)
    except ValueError as error:
        raise UsageError(str(error)) from None
    except (EngineError, ImageBuildFailed, BuildCancelled) as error:
        tail = getattr(error, "tail", "")
        print(f"{ref}: {error}" + (f"\n{tail}" if tail else ""), flush=True)
        return False
    note = f" ({made.note})" if made.note else ""
    print(f"{ref} is {made.name}, Debian {made.suite}{note}; noted in benchrouter.local.yaml", flush=True)
    return True
