"""`benchrouter compare`: models of a benchmark side by side, from `results/` alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchrouter.faces.out import Json, emit, say
from benchrouter.faces.words import Env, Model, Tasks, split, variables

Benchmarks = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="BENCH",
        help="Benchmarks, BENCHMARK/TASK or directories; without any, all that have results.",
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
    from benchrouter.scores.comparison.compared import compare_models
    from benchrouter.scores.comparison.json_form import to_json
    from benchrouter.scores.comparison.text import flip_lines, lines_of
    from benchrouter.scores.problems import ScoresError

    root, given = place(results), variables(env) if env else None
    found, missing = [], ScoresError(f"{root}: no results yet; `doit run` makes some")
    for name, own in _asked(root, split(bench), split(tasks)).items():
        try:
            found.append(
                compare_models(root, name, split(model), tasks=own, variables=given, detail=detail, flips=flips)
            )
        except ScoresError as error:
            if bench:
                raise
            missing = error  # of all benchmarks, those that have what was asked for are shown
    if not found:
        raise missing
    if json:
        emit("comparison", benchmarks=[to_json(each, flips=flips) for each in found])
        return 0
    for number, each in enumerate(found):
        say([""] if number else [])
        say(lines_of(each, detail=detail))
        say(["", *flip_lines(each)] if flips else [])
    return 0


def _asked(root: Path, words: list[str], tasks: list[str]) -> dict[str, list[str]]:
    """Give tasks by benchmark, none for all of them; words are as for `run`: BENCH, BENCH/TASK, a directory."""
    from benchrouter.faces.place import typed_path
    from benchrouter.scores.comparison.choosing import benchmarks
    from benchrouter.scores.problems import ScoresError
    from benchrouter.spec.benchmark import FILE
    from benchrouter.spec.yamlfile import read

    asked: dict[str, list[str]] = {}
    for word in words or benchmarks(root):
        name, _, task = word.partition("/")
        if "/" in word and (typed_path(word) / FILE).is_file():
            name, task = read(typed_path(word) / FILE).text(("name",)) or word, ""
        elif word.startswith(("/", ".", "~")) or "/" in task:
            raise ScoresError(f"{word}: no {FILE} there; expected a benchmark, BENCHMARK/TASK, or a directory")
        asked.setdefault(name, [*tasks]).extend([task] if task else [])
    return asked


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
