"""`benchrouter compare`: models of a benchmark side by side, from `results/` alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchrouter.faces.asked import asked, within
from benchrouter.faces.out import Json, emit, say, warn
from benchrouter.faces.words import Env, Model, Tasks, split, variables

Benchmarks = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="BENCH",
        help="Benchmarks, BENCHMARK/TASK, groups or directories; without any, all that have results.",
        show_default=False,
    ),
]
Results = Annotated[
    Path | None, typer.Option(help="A results directory, or a copy of one; else that of the workspace.")
]


def compare(
    bench: Benchmarks = None,
    model: Model = None,
    tasks: Tasks = None,
    env: Env = None,
    detail: Annotated[bool, typer.Option("--detail", help="Tasks too, and every pair of models.")] = False,
    flips: Annotated[bool, typer.Option("--flips", help="List the items on which models differ.")] = False,
    results: Results = None,
    json: Json = False,
) -> int:
    """Compare models by their scores.

    With intervals, and what differs by more than chance.
    """
    from benchrouter.scores.comparison.choosing import benchmarks
    from benchrouter.scores.comparison.compared import compare_models
    from benchrouter.scores.comparison.json_form import to_json
    from benchrouter.scores.comparison.text import flip_lines, lines_of
    from benchrouter.scores.problems import ScoresError

    root, given = place(results), variables(env) if env else None
    wanted = _asked(root, split(bench))
    text = f"no such task in {', '.join(wanted)}" if wanted else f"{root}: no results yet; `doit run` makes some"
    found, missing, known = [], ScoresError(text), benchmarks(root)
    for name, own in within(wanted, split(tasks)).items():
        try:
            found.append(
                compare_models(root, name, split(model), tasks=own, variables=given, detail=detail, flips=flips)
            )
        except ScoresError as error:
            if name not in known:
                raise
            missing = error  # of several benchmarks, those that have what was asked for are shown
    if not found:
        raise missing
    warn(text for each in found for text in each.warnings)
    if json:
        emit("comparison", benchmarks=[to_json(each, flips=flips) for each in found])
        return 0
    for number, each in enumerate(found):
        say([""] if number else [])
        say(lines_of(each, detail=detail))
        say(["", *flip_lines(each)] if flips else [])
    return 0


def _asked(root: Path, words: list[str]) -> dict[str, list[str]]:
    from benchrouter.scores.comparison.choosing import benchmarks

    there = benchmarks(root)
    return asked(words, there) if words else {name: [] for name in there}


def place(results: Path | None) -> Path:
    """Find the results: what was named, else those of the workspace here; raise StoreError or ScoresError."""
    from benchrouter.faces.place import enter, typed_path
    from benchrouter.scores.problems import ScoresError

    if results is None:
        return enter().results
    path = typed_path(results)
    if not path.is_dir():
        raise ScoresError(f"{path}: no such directory; --results wants a results directory or a copy of one")
    return path
