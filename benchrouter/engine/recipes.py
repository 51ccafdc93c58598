"""Debian packages that stand in for well-known images where no registry answers (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchrouter.engine.references import parse_reference

DEFAULT_SUITE = "bookworm"
_SUITES = {"11": "bullseye", "12": "bookworm", "13": "trixie", "14": "forky", "stable": "stable"}
_SUITE_NAMES = ("bullseye", "bookworm", "trixie", "forky", "sid", "stable")
_PYTHON_OF_SUITE = (((3, 9), "bullseye"), ((3, 11), "bookworm"), ((3, 13), "trixie"))
_ALWAYS = ("ca-certificates",)
_FULL = ("build-essential", "curl", "git", "wget", "unzip", "procps")
_KNOWN: dict[str, tuple[tuple[str, ...], str]] = {
    "debian": ((), "bash"),
    "buildpack-deps": (_FULL, "bash"),
    "gcc": (_FULL, "bash"),
    "golang": (("golang", *_FULL), "bash"),
    "rust": (("rustc", "cargo", *_FULL), "bash"),
    "node": (("nodejs", "npm"), "node"),
    "perl": (("perl",), "perl"),
    "ruby": (("ruby-full",), "irb"),
    "php": (("php-cli",), "php"),
    "openjdk": (("default-jdk-headless",), "jshell"),
    "eclipse-temurin": (("default-jdk-headless",), "jshell"),
}
_PIP = ("python3-pip", "python3-venv", "python3-setuptools", "python3-wheel")
_PYTHON = ("python3", "python-is-python3", *_PIP)


@dataclass(frozen=True)
class Recipe:
    """How a stand-in is made; `note` tells where it differs from the image that it stands in for."""

    suite: str
    packages: tuple[str, ...]
    command: str = "bash"
    environment: tuple[tuple[str, str], ...] = ()
    python: bool = False
    note: str = ""


def recipe_for(ref: str, packages: tuple[str, ...] = (), suite: str | None = None) -> Recipe:
    """Choose suite and packages for a reference; raise ValueError, saying what to do, where none is known.

    With `packages` anything goes: the stand-in is Debian with those packages.
    """
    reference = parse_reference(ref)
    name, tag = reference.path.removeprefix("library/"), reference.tag or ""
    chosen = suite or _suite_in(tag)
    if name == "python":
        return _python(tag, packages, chosen)
    known = _KNOWN.get(name)
    if known is None and not packages:
        raise ValueError(
            f"no recipe for {ref}: name the Debian packages that it needs, for example `doit bootstrap-image "
            f"{ref} --packages python3,curl`, or an image of yours under site.image_aliases"
        )
    wanted, command = known or ((), "bash")
    full = _FULL if known and name != "debian" and "slim" not in tag and name in ("node",) else ()
    note = "" if name == "debian" else f"Debian {chosen or DEFAULT_SUITE} with its own versions"
    return Recipe(chosen or DEFAULT_SUITE, _merged(wanted, full, packages), command, note=note)


def has_recipe(ref: str) -> bool:
    """Tell whether a stand-in can be made without being told which packages it needs."""
    try:
        recipe_for(ref)
    except ValueError:
        return False
    return True


def _python(tag: str, packages: tuple[str, ...], suite: str | None) -> Recipe:
    found = re.match(r"3\.(\d+)", tag)
    wanted = (3, int(found[1])) if found else None
    chosen = _nearest_suite(wanted) if wanted else (suite or "trixie")
    has = next((version for version, name in _PYTHON_OF_SUITE if name == chosen), None)
    full = () if "slim" in tag else (*_FULL, "python3-dev")
    note = ""
    if wanted and has and wanted != has:
        note = f"Python 3.{has[1]} of Debian {chosen} instead of 3.{wanted[1]}"
    environment = (("LANG", "C.UTF-8"), ("PIP_ROOT_USER_ACTION", "ignore"))
    return Recipe(chosen, _merged(_PYTHON, full, packages), "python3", environment, python=True, note=note)


def _nearest_suite(wanted: tuple[int, int]) -> str:
    """Choose the release with the wanted Python or the next newer, which runs code for older ones."""
    return next((name for version, name in _PYTHON_OF_SUITE if version >= wanted), _PYTHON_OF_SUITE[-1][1])


def _suite_in(tag: str) -> str | None:
    for part in re.split(r"[-.]", tag):
        if part in _SUITE_NAMES:
            return part
        if part in _SUITES:
            return _SUITES[part]
    return None


def _merged(*groups: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(package for group in (_ALWAYS, *groups) for package in group))
