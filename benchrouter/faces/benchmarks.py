"""`benchrouter benchmark …`: what there is, what is wrong with it, how a benchmark comes and goes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchrouter.faces.completion import benchmarks
from benchrouter.faces.out import Json, emit

if TYPE_CHECKING:
    from benchrouter.make.benchmarks import Validated

app = typer.Typer(help="Benchmarks: list, show, make, check, take in, remove.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="A benchmark of the workspace, or a directory.", autocompletion=benchmarks)]


@app.command("list")
def list_(json: Json = False) -> int:
    """List the benchmarks of the workspace."""
    from benchrouter.faces.place import enter
    from benchrouter.make.benchmarks import validate
    from benchrouter.make.sources import benchmarks_of

    ws = enter()
    rows = [_row(name, validate(ws, root)) for name, root in benchmarks_of(ws).items()]
    if json:
        emit("benchmarks", benchmarks=rows)
        return 0
    if not rows:
        print(f"no benchmarks in {ws.benchmarks}; `benchrouter benchmark new NAME` makes one")
    width = max((len(_shown(row)) for row in rows), default=0)
    for row in rows:
        tasks = f"{len(row['tasks'])} task{'s' * (len(row['tasks']) != 1)}"
        print(f"{_shown(row):{width}}  {tasks:9}  {row['description'] if row['sound'] else 'has faults: see validate'}")
    return 0


def _shown(row: dict[str, Any]) -> str:
    """Name a benchmark, and its directory where that is named otherwise."""
    place = Path(row["path"]).name
    return str(row["name"]) if row["name"] == place else f"{row['name']} (in {place}/)"


def _row(name: str, found: Validated) -> dict[str, Any]:
    benchmark = found.scanned.benchmark if found.scanned else None
    return {
        "name": benchmark.name if benchmark else name,
        "path": str(found.root),
        "description": benchmark.description if benchmark else "",
        "version": benchmark.version if benchmark else "",
        "tasks": [entry.name for entry in benchmark.tasks] if benchmark else [],
        "sound": found.sound,
    }


@app.command()
def show(name: Name, json: Json = False) -> int:
    """Show a benchmark and its tasks."""
    from benchrouter.faces.place import enter, typed_path
    from benchrouter.make.benchmarks import find, validate

    ws = enter()
    found = validate(ws, find(ws, name, typed_path(name)))
    row = _row(name, found)
    tasks = [_task(found, task) for task in row["tasks"]]
    if json:
        emit("benchmark", benchmark={**row, "tasks": tasks}, problems=[*map(_problem, found.problems)])
        return 0
    print(f"{row['name']} {row['version']}".rstrip())
    for line in (row["description"], row["path"]):
        if line:
            print(f"  {line}")
    for task in tasks:
        print(f"  {task['name']}: {_about(task)}")
    for problem in found.problems:
        print(f"  {problem}")
    return 0


def _about(task: dict[str, Any]) -> str:
    if task["mode"] is None:
        return "has faults"
    return f"{task['mode']}, environment {task['environment']}, timeout {task['timeout']:g} s, repeat {task['repeat']}"


def _task(found: Validated, name: str) -> dict[str, Any]:
    facts = found.scanned.tasks.get(name) if found.scanned else None
    if facts is None:
        return {"name": name, "mode": None, "environment": None, "timeout": None, "repeat": None, "title": None}
    task = facts.task()
    return {
        "name": name,
        "title": task.title,
        "mode": task.mode.word,
        "environment": facts.environment,
        "timeout": task.timeout,
        "repeat": task.repeat,
    }


def _problem(problem: Any) -> dict[str, Any]:
    return {"file": problem.where, "line": problem.line, "message": problem.message, "warning": problem.warning}


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="Name of the benchmark: letters, digits, `.`, `_`, `-`.")],
    sidecar: Annotated[bool, typer.Option("--sidecar", help="With a service beside the task.")] = False,
    dind: Annotated[bool, typer.Option("--dind", help="With a Docker daemon of the task's own.")] = False,
    bridge: Annotated[bool, typer.Option("--bridge", help="Around a tool that exists already.")] = False,
    json: Json = False,
) -> int:
    """Write a new benchmark that runs at once."""
    from benchrouter.faces.place import enter
    from benchrouter.make.scaffolding import Flavour, make_benchmark
    from benchrouter.make.variables import UsageError

    asked = [name for name, given in (("sidecar", sidecar), ("dind", dind), ("bridge", bridge)) if given]
    if len(asked) > 1:
        raise UsageError(f"--{' and --'.join(asked)}: a new benchmark is of one kind")
    path = make_benchmark(enter(), name, Flavour((asked or ["simple"])[0]))
    if json:
        emit("benchmark_made", name=name, path=str(path))
    else:
        print(f"{path}\ntry: benchrouter run {name} --model demo")
    return 0


@app.command()
def validate(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="BENCH", help="Without any: all of the workspace.", autocompletion=benchmarks),
    ] = None,
    json: Json = False,
) -> int:
    """List all that is wrong with benchmarks.

    With file and line; exit status 2 when there is an error.
    """
    from benchrouter.faces.place import enter_if_any, typed_path
    from benchrouter.make.benchmarks import find
    from benchrouter.make.benchmarks import validate as look
    from benchrouter.make.sources import benchmarks_of, nearly_benchmarks
    from benchrouter.make.voice import complain

    ws = enter_if_any()
    overlooked = [] if names else nearly_benchmarks(ws)
    roots = [find(ws, name, typed_path(name)) for name in names] if names else [*benchmarks_of(ws).values()]
    found = [look(ws, root) for root in roots]
    sound = all(one.sound for one in found)
    if json:
        problems = [_problem(problem) for each in (overlooked, *(one.problems for one in found)) for problem in each]
        emit("validation", sound=sound, benchmarks=[str(one.root) for one in found], problems=problems)
        return 0 if sound else 2
    for problem in overlooked:
        print(problem)
    for one in found:
        for problem in one.problems:
            print(problem)
        if one.sound:
            tasks = len(one.scanned.benchmark.tasks) if one.scanned else 0
            print(f"{one.root}: sound, {tasks} task{'s' * (tasks != 1)}")
    if not found:
        complain("no benchmark to look at; name a directory")
    return 0 if found and sound else 2


@app.command()
def register(
    source: Annotated[Path, typer.Argument(help="A directory, or a tar (also .gz, .bz2, .xz, .zst).")],
    replace: Annotated[bool, typer.Option("--replace", help="In place of one of the same name.")] = False,
    json: Json = False,
) -> int:
    """Copy a benchmark into the workspace.

    A directory or a tar, once it is found sound; whole or not at all.
    """
    from benchrouter.faces.place import enter, typed_path
    from benchrouter.make.benchmarks import register as take

    ws = enter()
    path, warnings = take(ws, typed_path(source), replacing=replace)
    if json:
        emit("benchmark_registered", name=path.name, path=str(path), warnings=[*map(_problem, warnings)])
        return 0
    for warning in warnings:
        print(warning)
    print(f"{path}\ntry: benchrouter plan {path.name} --model demo")
    return 0


@app.command()
def delete(
    name: Annotated[str, typer.Argument(help="A benchmark of the workspace.", autocompletion=benchmarks)],
    json: Json = False,
) -> int:
    """Remove a benchmark; its results stay."""
    from benchrouter.faces.place import enter
    from benchrouter.make.benchmarks import delete as remove

    ws = enter()
    path = remove(ws, name)
    if json:
        emit("benchmark_deleted", name=name, path=str(path))
    else:
        kept = ws.results / name
        print(f"removed {path}" + (f"; its results are still in {kept}" if kept.is_dir() else ""))
    return 0
