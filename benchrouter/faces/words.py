"""Arguments and options that several commands share, and the variables of the graph that they stand for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from benchrouter.faces.completion import bench as benches
from benchrouter.faces.completion import models, refreshable, tasks

Bench = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="BENCH",
        help="Benchmarks, BENCHMARK/TASK, groups or directories; without any the group `default`.",
        autocompletion=benches,
        show_default=False,
    ),
]
Model = Annotated[
    list[str] | None,
    typer.Option(
        "--model", "--models", "-m", help="Models to ask, repeated or comma-separated.", autocompletion=models
    ),
]
Tasks = Annotated[
    list[str] | None,
    typer.Option("--tasks", "-t", help="Tasks of the benchmarks, comma-separated.", autocompletion=tasks),
]
Repeat = Annotated[int | None, typer.Option(help="How often each task runs (overrides task.yaml).")]
Seed = Annotated[int | None, typer.Option(help="Seed of the first repeat (overrides task.yaml).")]
Env = Annotated[
    list[str] | None,
    typer.Option("--env", "-e", metavar="K=V", help="A variable for the tasks, in capitals; part of the key."),
]
Refresh = Annotated[
    list[str] | None,
    typer.Option(help="Environments to rebuild with pull, no cache.", autocompletion=refreshable),
]
Benches = Annotated[list[str] | None, typer.Option("--bench", help="Of these benchmarks only.", autocompletion=benches)]
Slots = Annotated[int, typer.Option("--slots", "-n", help="How many jobs run at once.")]


def variables(env: Iterable[str] | None = None, /, **given: Any) -> dict[str, str]:
    """Give the graph's variables: lists joined, flags as 1 or 0, what was not given left out; raise UsageError."""
    from benchrouter.make.variables import UsageError

    found: dict[str, str] = {}
    for word in given.get("bench") or ():
        _refuse_variable(word)
    for name, value in given.items():
        if value is None or value == [] or value == "":
            continue
        found[name] = _text(value)
    for word in env or ():
        name, equals, text = word.partition("=")
        if not equals or not name or name != name.upper():
            raise UsageError(f"--env {word}: expected NAME=value, the name in capitals")
        if name in found:
            raise UsageError(f"--env {name} is given more than once; keep one of them")
        found[name] = text
    return found


def split(given: Iterable[str] | None) -> list[str]:
    """Give the names in a repeated option, each of which may hold several with commas between."""
    return list(dict.fromkeys(name for word in given or () for part in word.split(",") if (name := part.strip())))


def _refuse_variable(word: str) -> None:
    """Raise UsageError for a word in doit's manner, which would be taken for a benchmark."""
    from benchrouter.make.variables import STEERING, UsageError

    name, equals, value = word.partition("=")
    told = f"`{name}` with a sign of equality is doit's manner"  # the word itself would be put into ours
    if equals and name in STEERING:
        if name == "bench":
            raise UsageError(f"{told}; here benchmarks stand alone: `{value}`")
        meant = f"--{name}" if name in _FLAGS else f"--{name} {value}"
        raise UsageError(f"{told}; here it is `{meant}`")
    if equals and name and name == name.upper():
        raise UsageError(f"{word}: variables are doit's manner; here it is `--env {word}`")


_FLAGS = ("strict", "full", "stale", "results", "models", "preflight", "cache")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return ",".join(value) if isinstance(value, list | tuple) else str(value)
