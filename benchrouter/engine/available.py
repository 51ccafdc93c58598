"""Could an image be pulled? Asked of mirrors and registry without pulling, before a run starts."""

from __future__ import annotations

import os
from typing import Any

from benchrouter.engine import deadlines
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError
from benchrouter.engine.references import Reference, parse_reference
from benchrouter.engine.registry import auth_header, is_transient
from benchrouter.spec.settings import Site


def can_pull(engine: Engine, ref: str, site: Site) -> str:
    """Ask for the manifest at each place that a pull would ask; "" when one has it, else what they said.

    A place that is only busy (429, 5xx) counts as having it: the pull itself has patience.
    """
    wanted = parse_reference(ref)
    answers = []
    for place in [*site.registry_mirrors.get(wanted.host, ()), None]:
        source = wanted if place is None else parse_reference(wanted.at(place))
        said = _ask(engine, source, site)
        if not said or is_transient(said):
            return ""
        answers.append(f"{source.host}: {said}")
    return "; ".join(answers)


def _ask(engine: Engine, source: Reference, site: Site) -> str:
    api: Any = engine.api
    separator = "@" if source.digest else ":"
    url = api._url("/distribution/{0}/json", f"{source.repository}{separator}{source.version}")
    try:
        headers = auth_header(engine, source.host, site, os.environ)
        with engine.errors("asking the registry"):
            api._raise_for_status(api.get(url, headers=headers, timeout=deadlines.REGISTRY * 2))
    except EngineError as error:
        return str(error).removeprefix("asking the registry: ")
    return ""
