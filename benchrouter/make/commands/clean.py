"""`doit clean`: removes what can be made again; results only on request."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from benchrouter.make.commands.guard import NOT_ALL_COMPLETED, OK
from benchrouter.make.commands.plain import PlainCommand
from benchrouter.make.session import Session, doit_variables
from benchrouter.make.variables import UsageError
from benchrouter.store.journal import dead_owners, living_owners

if TYPE_CHECKING:
    from benchrouter.make.cleaning import Removal

OPT_DRY = {
    "name": "dryrun",
    "short": "n",
    "long": "dry-run",
    "type": bool,
    "default": False,
    "help": "say what would be removed",
}


class Clean(PlainCommand):
    """Removes images, archives and rendered configuration; with stale=1 only what is superseded."""

    doc_purpose = "remove images, archives, rendered configuration (results=1, models=1: those too; stale=1: old ones)"
    doc_usage = "[image:BENCHMARK/ENVIRONMENT ...] [results=1] [models=1] [stale=1] [model=NAME,...] [bench=...]"
    cmd_options = (OPT_DRY,)

    def answer(self, options: Any, args: list[str]) -> int:
        """Remove, and say what was removed and what could not be."""
        session = Session.begin(doit_variables(), whole=True, lenient=True)
        return report(clean(session, args, dry=options["dryrun"]), dry=options["dryrun"])


def clean(session: Session, args: list[str], *, dry: bool) -> list[Removal]:
    """Remove what the variables and the named images say, after what dead runs left; raise UsageError."""
    odd = [word for word in args if not word.startswith("image")]
    if odd:
        raise UsageError(
            f"clean {odd[0]}: only images can be named; results=1 and stale=1 are for the rest"
        )
    if living_owners(session.ws):
        raise UsageError("a run is under way in this workspace; wait for its end, or stop it first")
    dead = [] if dry else dead_owners(session.ws)
    if not dead:
        return _removals(session, args, dry=dry)
    from benchrouter.make.sweeping import swept_up

    # First what a killed run left: its containers hold images, its files may be of another user.
    with swept_up(session, dead, lambda text: print(text, file=sys.stderr)):
        return _removals(session, args, dry=dry)


def _removals(session: Session, args: list[str], *, dry: bool) -> list[Removal]:
    from benchrouter.make import cleaning

    if session.variables.stale:
        from benchrouter.make.superseded import clean_superseded

        removals = [clean_superseded(session, dry=dry)]
    else:
        removals = [cleaning.clean_images(session, args, dry=dry)]
        if not args:
            removals.append(cleaning.clean_directories(session, dry=dry))
    if session.variables.installed_models:
        removals.append(cleaning.clean_models(session, dry=dry))
    if session.variables.results:
        removals.append(cleaning.clean_results(session, dry=dry))
    return removals


def report(removals: list[Removal], *, dry: bool) -> int:
    """Print what was, or would be, removed and what could not be; return the exit status."""
    removed = [name for removal in removals for name in removal.removed]
    failed = [name for removal in removals for name in removal.failed]
    for name in removed:
        print(f"{'would remove' if dry else 'removed'} {name}")
    for name in failed:
        print(f"not removed: {name}", file=sys.stderr)
    if not removed and not failed:
        print("nothing to remove")
    return NOT_ALL_COMPLETED if failed else OK
