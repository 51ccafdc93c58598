"""`benchrouter compare`: models of a benchmark side by side, from `results/` alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchrouter.faces.asked import compared, results_at
from benchrouter.faces.completion import compared as with_results
from benchrouter.faces.out import Json, emit, say, warn
from benchrouter.faces.words import Env, Model, Tasks, split, variables

Benchmarks = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="BENCH",
        help="Benchmarks, BENCHMARK/TASK, groups or directories; without any, all that have results.",
        autocompletion=with_results,
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
    from benchrouter.scores.comparison.json_form import to_json
    from benchrouter.scores.comparison.text import flip_lines, lines_of

    root, given = place(results), variables(env) if env else None
    found = compared(root, split(bench), split(model), split(tasks), variables=given, detail=detail, flips=flips)
    warn(text for each in found for text in each.warnings)
    if json:
        emit("comparison", benchmarks=[to_json(each, flips=flips) for each in found])
        return 0
    for number, each in enumerate(found):
        say([""] if number else [])
        say(lines_of(each, detail=detail))
        say(["", *flip_lines(each)] if flips else [])
    return 0


def place(results: Path | None) -> Path:
    """Find the results: what was named, else those of the workspace here; raise StoreError or ScoresError."""
    from benchrouter.faces.place import enter, typed_path

    return enter().results if results is None else results_at(typed_path(results))
