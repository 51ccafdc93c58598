"""Names of environment variables that are BenchRouter's own, and what is said where a file gives one of them."""

from __future__ import annotations

from collections.abc import Iterable

from benchrouter.spec.problems import Problem
from benchrouter.spec.yamlfile import Document, KeyPath

_KEY = "OPENAI_API_KEY"
_PREFIX = "BENCHROUTER_"


def replaced(document: Document) -> Iterable[Problem]:
    """Warn of what `extra_env` replaces; it may, as later variables win, but hardly unawares."""
    given = document.data.get("extra_env")
    for name in given if isinstance(given, dict) else ():
        said = _said(name, "the value here")
        if said:
            yield document.problem(("extra_env", name), f"`extra_env.{name}`: {said}", warning=True)


def passed(document: Document) -> Iterable[Problem]:
    """Refuse names of ours under `pass_env`: who is asked would depend on the caller, and no key would tell."""
    given = document.data.get("pass_env")
    for index, name in enumerate([given] if isinstance(given, str) else given if isinstance(given, list) else ()):
        if not isinstance(name, str):
            continue
        path: KeyPath = ("pass_env", index) if isinstance(given, list) else ("pass_env",)
        if name.startswith(_PREFIX):
            yield document.problem(path, f"`pass_env`: {name} is set by BenchRouter itself and cannot be passed")
        elif name == _KEY:
            said = _said(name, "the caller's value")
            yield document.problem(path, f"`pass_env`: {name}: {said}", warning=True)


def _said(name: str, what: str) -> str:
    if name == _KEY:
        return f"{what} replaces the key of whatever model is asked (a model names its own by `api_key_env`)"
    return f"{what} replaces what BenchRouter sets" if name.startswith(_PREFIX) else ""
