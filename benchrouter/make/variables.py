"""Variables of the command line: lower case steers BenchRouter, capitals go into the jobs' environment."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

from benchrouter.spec.names import OWN_VARIABLES, did_you_mean
from benchrouter.spec.values import LARGEST_SEED, MOST_REPEATS


class UsageError(Exception):
    """A mistake on the command line; the text is for the person who typed it."""


STEERING: Mapping[str, str] = {
    "model": "models to ask, comma-separated",
    "bench": "benchmarks, benchmark/task, groups or paths, comma-separated",
    "tasks": "tasks of the selected benchmarks, comma-separated",
    "repeat": "how often each task runs (overrides task.yaml)",
    "seed": "seed of the first repeat (overrides task.yaml)",
    "strict": "1: refuse to start when an image or a data volume cannot be had",
    "preflight": "0: do not ask the endpoint before the first job",
    "cache": "1: keep every image in the archive (the default where CI is set); 0: only what tasks preload",
    "refresh": "environments (<benchmark>/<environment>) to rebuild with pull and without cache",
    "results": "1: doit clean removes results too",
    "models": "1: doit clean removes installed models too",
    "stale": "1: doit clean removes superseded results and old attempts only",
    "full": "1: doit graph shows every node instead of one per benchmark",
    "format": "mermaid or dot, for doit graph",
}

LISTS = ("model", "bench", "tasks", "refresh")

_SECRET = re.compile(
    r"(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PRIVATE)(_|$)|APIKEY"
)


@dataclass(frozen=True)
class Variables:
    """The parsed variables; lists are empty and numbers None when not given."""

    models: tuple[str, ...] = ()
    bench: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    repeat: int | None = None
    seed: int | None = None
    strict: bool = False
    preflight: bool = True
    cache: bool | None = None
    refresh: tuple[str, ...] = ()
    results: bool = False
    installed_models: bool = False
    stale: bool = False
    full: bool = False
    format: str = "mermaid"
    environment: Mapping[str, str] = field(default_factory=dict)


def parse(given: Mapping[str, str], environ: Mapping[str, str]) -> Variables:
    """Check and parse the variables of one command; raise UsageError naming every mistake at once."""
    faults: list[str] = []
    environment: dict[str, str] = {}
    for name, value in given.items():
        if name in STEERING:
            continue
        if re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
            fault = _environment_fault(name, value)
            if fault:
                faults.append(fault)
            environment[name] = value
        else:
            faults.append(f"unknown variable {name}={did_you_mean(name, STEERING)}; {_kinds(name)}")
    variables = _Reader(given, faults)
    models = variables.words("model") or _default_model(environ)
    parsed = Variables(
        models=models,
        bench=variables.words("bench"),
        tasks=variables.words("tasks"),
        repeat=variables.number("repeat", least=1, most=MOST_REPEATS),
        seed=variables.number("seed", least=-LARGEST_SEED, most=LARGEST_SEED),
        strict=variables.flag("strict", default=False),
        preflight=variables.flag("preflight", default=True),
        cache=variables.flag("cache", default=False) if "cache" in given else None,
        refresh=variables.words("refresh"),
        results=variables.flag("results", default=False),
        installed_models=variables.flag("models", default=False, hint=" (the models to ask are named by model=)"),
        stale=variables.flag("stale", default=False),
        full=variables.flag("full", default=False),
        format=variables.choice("format", ("mermaid", "dot")),
        environment=dict(sorted(environment.items())),
    )
    if faults:
        raise UsageError("\n".join(faults))
    return parsed


def repeated(words: Iterable[str], names: Container[str]) -> list[str]:
    """Say of each variable that the words of a command line give more than once what its values are."""
    values: dict[str, list[str]] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if equals and name in names:
            values.setdefault(name, []).append(value)
    return [_given_twice(name, given) for name, given in values.items() if len(given) > 1]


def _given_twice(name: str, values: list[str]) -> str:
    # A secret that was mistyped as a variable is not repeated.
    shown = f" ({', '.join(values)})" if name in STEERING else ""
    meant = f"; write {name}={','.join(values)}" if name in LISTS else "; keep one of them"
    return f"{name}= is given {len(values)} times{shown}{meant}"


def _kinds(name: str) -> str:
    if name.upper() != name and re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) and not name.islower():
        return "a variable is all lower case (for BenchRouter) or all capitals (for the jobs)"
    return f"known: {', '.join(STEERING)}; variables in capitals go to the jobs"


def _environment_fault(name: str, value: str) -> str | None:
    if OWN_VARIABLES.fullmatch(name):
        return f"{name} is set by BenchRouter itself and cannot be given as a variable"
    if _SECRET.search(name):
        return (
            f"{name} looks like a secret, and a variable is recorded with its value: export it in your shell "
            f"and name it under `pass_env: [{name}]` in task.yaml or benchrouter.yaml instead"
        )
    if "\0" in value:
        return f"{name} holds a NUL byte, which no environment variable can"
    if not is_text(value):
        return f"{name} holds bytes that are not UTF-8; the engine cannot pass them on as they are"
    return None


def is_text(value: str) -> bool:
    """Tell whether a value of the command line or the environment is UTF-8, rather than bytes that Python escaped."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _default_model(environ: Mapping[str, str]) -> tuple[str, ...]:
    name = environ.get("BENCHROUTER_MODEL_NAME", "").strip()
    return (name,) if name else ()


@dataclass(frozen=True)
class _Reader:
    """Reads one variable after the other and collects what is wrong."""

    given: Mapping[str, str]
    faults: list[str]

    def words(self, name: str) -> tuple[str, ...]:
        if name not in self.given:
            return ()
        words = tuple(dict.fromkeys(word.strip() for word in self.given[name].split(",") if word.strip()))
        if not words:
            self.faults.append(f"{name}= is empty; expected {STEERING[name]}")
        return words

    def number(self, name: str, least: int, most: int) -> int | None:
        text = self.given.get(name)
        if text is None:
            return None
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", text) or not least <= int(text) <= most:
            self.faults.append(f"{name}={text}: expected a whole number from {least} to {most}")
            return None
        return int(text)

    def flag(self, name: str, *, default: bool, hint: str = "") -> bool:
        text = self.given.get(name)
        if text is None:
            return default
        if text not in ("0", "1"):
            self.faults.append(f"{name}={text}: expected 0 or 1{hint}")
        return text == "1"

    def choice(self, name: str, options: tuple[str, ...]) -> str:
        text = self.given.get(name, options[0])
        if text not in options:
            self.faults.append(f"{name}={text}: expected {' or '.join(options)}{did_you_mean(text, options)}")
        return text
