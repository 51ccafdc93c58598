"""`benchrouter export`: results for spreadsheets, scripts, CI and training, on stdout or in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from benchrouter.faces.out import Json, emit, warn
from benchrouter.faces.words import split

if TYPE_CHECKING:
    from benchrouter.scores.export.rows import Exported

Format = Literal["csv", "jsonl", "md", "junit", "parquet"]
Rows = Literal["jobs", "items", "rewards"]


def export(
    bench: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BENCH",
            help="Benchmarks, BENCHMARK/TASK, groups or directories; without any, all.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option("--model", "--models", "-m", help="Models; without any, all.")
    ] = None,
    format: Annotated[Format, typer.Option("--format", "-f", help="The form of the file.")] = "csv",
    rows: Annotated[Rows, typer.Option(help="What a row is, in csv, jsonl and parquet.")] = "jobs",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file to write, instead of stdout.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Earlier results too, not only the newest of a model.")] = False,
    json: Json = False,
) -> int:
    """Export results to other forms.

    Of each model the newest that is comparable with others, or all on disk.
    """
    from benchrouter.faces.asked import asked
    from benchrouter.faces.place import enter, typed_path
    from benchrouter.make.variables import UsageError
    from benchrouter.scores.doubts import losses
    from benchrouter.scores.export.rows import exported, rows_of

    if format in ("md", "junit") and rows != "jobs":
        raise UsageError(f"--rows {rows}: {format} has no rows; expected --format csv, jsonl or parquet beside it")
    if format == "parquet" and output is None and not json:
        raise UsageError("--format parquet is no text; name a file with -o")
    ws = enter()
    tasks, models = asked(split(bench), _there(ws.results)), split(model)
    if format == "md" and any(tasks.values()):
        raise UsageError("--format md shows scores of whole results; name no task, or choose another format")
    found = exported(ws.results, list(tasks), models, every=every)
    _require(ws.results, found, list(tasks), models)
    found = _of_tasks(found, tasks)
    data = _formed(found, format, rows) if output is not None or not json else b""
    if output is not None:
        from benchrouter.store.atomic import write_atomic

        write_atomic(typed_path(output), data)
    lost = list(losses(job for one in found for job in one.own))
    warn(lost)
    if json:
        path = None if output is None else str(typed_path(output))
        emit("export", rows=list(rows_of(rows, found)), path=path, warnings=lost)
    elif output is None:
        print(data.decode(), end="")
    return 0


def _formed(found: list[Exported], format: Format, rows: Rows) -> bytes:
    from benchrouter.make.variables import UsageError
    from benchrouter.scores.export import forms
    from benchrouter.scores.export.rows import COLUMNS, rows_of

    if format == "md":
        return forms.to_markdown(found).encode()
    if format == "junit":
        return forms.to_junit(found).encode()
    if format == "csv":
        return forms.to_csv(rows_of(rows, found), COLUMNS[rows]).encode()
    if format == "jsonl":
        return forms.to_jsonl(rows_of(rows, found)).encode()
    from benchrouter.scores.export.parquet import to_parquet

    try:
        return to_parquet(rows_of(rows, found), COLUMNS[rows])
    except ImportError:
        raise UsageError("parquet needs pyarrow: pip install 'benchrouter[parquet]'") from None


def _require(results: Path, found: list[Exported], benchmarks: list[str], models: list[str]) -> None:
    """Raise UsageError for a name that has no result, with the nearest that has one."""
    from benchrouter.make.variables import UsageError
    from benchrouter.scores.collected import aggregates
    from benchrouter.spec.names import did_you_mean

    known = list(aggregates(results))
    there = {"benchmark": {one.benchmark for one in known}, "model": {one.model for one in known}}
    faults = [
        f"no result of {kind} `{name}`{did_you_mean(name, there[kind])}"
        for kind, names in (("benchmark", benchmarks), ("model", models))
        for name in names
        if name not in there[kind]
    ]
    if not faults and not found:
        faults = ["no results here yet; `benchrouter run hello --model demo` makes some"]
    if faults:
        raise UsageError("\n".join(faults))


def _there(results: Path) -> set[str]:
    from benchrouter.scores.collected import aggregates

    return {one.benchmark for one in aggregates(results)}


def _of_tasks(found: list[Exported], tasks: dict[str, list[str]]) -> list[Exported]:
    """Keep the jobs of the tasks that are wanted of each benchmark; raise UsageError for one without results."""
    from dataclasses import replace

    from benchrouter.make.variables import UsageError
    from benchrouter.spec.names import did_you_mean

    for name, wanted in tasks.items():
        known = {job.id.task for one in found if one.board.benchmark == name for job in one.jobs}
        for task in wanted:
            if task not in known:
                raise UsageError(f"{name}: no result of task `{task}`{did_you_mean(task, known)}")
    wants = [(one, tasks.get(one.board.benchmark)) for one in found]
    return [
        replace(one, own=tuple(job for job in one.own if job.id.task in wanted)) if wanted else one
        for one, wanted in wants
    ]
