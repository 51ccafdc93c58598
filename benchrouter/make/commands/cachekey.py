"""`doit cachekey`: one short key for the images of a plan, to name a CI cache by."""

from __future__ import annotations

from typing import Any

from benchrouter.graph.imageset import cache_key
from benchrouter.make.commands.guard import OK
from benchrouter.make.commands.plain import PlainCommand
from benchrouter.make.session import Session, doit_variables


class CacheKey(PlainCommand):
    """Prints the key; it asks no engine and no model, and is the same wherever the files are."""

    name = "cachekey"
    doc_purpose = "print one short key for the images that the selected tasks need (to name a CI cache by)"
    doc_usage = "[bench=...] [tasks=...]"

    def answer(self, options: Any, args: list[str]) -> int:
        """Print the key."""
        session = Session.begin(doit_variables())
        print(cache_key(session.sources.selected, session.graph.images))
        return OK
