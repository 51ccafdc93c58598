"""`doit models`: which models there are and how they stand; `doit models install NAME` fetches an embedded one."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from benchrouter.make.commands.guard import NOT_ALL_COMPLETED, OK
from benchrouter.make.commands.plain import PlainCommand
from benchrouter.make.interruption import end_like_ctrl_c
from benchrouter.make.session import Session, doit_variables
from benchrouter.make.variables import UsageError
from benchrouter.make.voice import complain, in_its_words
from benchrouter.models.model import DEMO, EMBEDDED, ENDPOINT_VARIABLE, KEY_VARIABLE, SMOLLM2, ModelError
from benchrouter.spec.names import did_you_mean
from benchrouter.spec.settings import ModelSettings, load_settings

_USAGE = "nothing (to list them), or install NAME"


class Models(PlainCommand):
    """Lists embedded and declared models with their state; installs embedded ones."""

    name = "models"
    doc_purpose = "list the models and how they stand; install one that is embedded (install smollm2)"
    doc_usage = "[install NAME]"

    def answer(self, options: Any, args: list[str]) -> int:
        """List, or install."""
        session = Session.begin(doit_variables())
        verb, *words = args or ["list"]
        if verb not in ("list", "install") or len(words) != (verb == "install"):
            raise UsageError(f"models {' '.join(args)}: expected {_USAGE}{did_you_mean(verb, ('list', 'install'))}")
        if verb == "install":
            return install_model(session, words[0])
        rows = model_rows(session)
        widths = [max(len(row[at]) for row in rows) for at in (0, 1)]
        for name, kind, state in rows:
            print(f"{name:{widths[0]}}  {kind:{widths[1]}}  {state}")
        return OK


def model_rows(session: Session) -> list[tuple[str, str, str]]:
    """List the models as (name, kind, state), those that the environment describes last."""
    settings, warnings = load_settings(session.ws.root, session.environ)
    for problem in warnings:
        print(problem, file=sys.stderr)
    return [*_embedded(session), *_declared(session, settings.models), _others(session)]


def install_model(session: Session, name: str) -> int:
    """Install an embedded model, saying what is done; return the exit status."""
    if name == DEMO:
        print(f"{DEMO} needs no installation")
        return OK
    if name != SMOLLM2:
        raise UsageError(f"models install {name}: no embedded model of that name{did_you_mean(name, EMBEDDED)}")
    from benchrouter.models.smollm2.install import install

    end_like_ctrl_c()
    try:
        installed = install(session.ws.ensure(), session.environ, lambda text: print(text, flush=True))
    except ModelError as error:
        complain(str(error))
        return NOT_ALL_COMPLETED
    print(f"{SMOLLM2}: {installed.state}; try: {in_its_words(f'doit run model={SMOLLM2} bench=hello')}")
    return OK


def _embedded(session: Session) -> Iterator[tuple[str, str, str]]:
    from benchrouter.models.smollm2.installed import check, look
    from benchrouter.models.smollm2.pins import TITLE

    yield DEMO, "embedded", "ready: answers from the benchmarks' answer files"
    state = look(session.ws).state
    if look(session.ws).there:
        try:
            check(session.ws, session.environ)
        except ModelError as error:
            state = f"{state}, but {error}"
    yield SMOLLM2, "embedded", f"{state}: {TITLE}" if look(session.ws).there else state


def _declared(session: Session, models: Mapping[str, ModelSettings]) -> Iterator[tuple[str, str, str]]:
    for name, model in models.items():
        if name in EMBEDDED:
            continue
        endpoint = model.endpoint or _shown(ENDPOINT_VARIABLE, session)
        key = model.api_key_env or (None if model.endpoint else KEY_VARIABLE)
        yield name, "declared", f"{endpoint}, key: {_shown(key, session) if key else 'none'}"


def _others(session: Session) -> tuple[str, str, str]:
    known = f"{_shown(ENDPOINT_VARIABLE, session)}, key: {_shown(KEY_VARIABLE, session)}"
    return "any other", "by environment", known


def _shown(variable: str, session: Session) -> str:
    """Say whether a variable is set; never its value."""
    return f"{variable} ({'set' if session.environ.get(variable) else 'not set'})"
