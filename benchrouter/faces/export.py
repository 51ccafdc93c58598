"""`benchrouter export`: results for spreadsheets, scripts, CI and training, on stdout or in a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from benchrouter.faces.compare import Benchmarks, Results, place
from benchrouter.faces.completion import models
from benchrouter.faces.out import Json, emit, warn
from benchrouter.faces.words import Tasks, split

if TYPE_CHECKING:
    from benchrouter.scores.export.rows import Exported

Format = Literal["csv", "jsonl", "md", "junit", "parquet"]
Rows = Literal["jobs", "items", "rewards"]


def export(
    bench: Benchmarks = None,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "--models", "-m", help="Models; without any, all.", autocompletion=models),
    ] = None,
    tasks: Tasks = None,
    format: Annotated[Format, typer.Option("--format", "-f", help="The form of the file.")] = "csv",
    rows: Annotated[Rows, typer.Option(help="What a row is, in csv, jsonl and parquet.")] = "jobs",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file to write, instead of stdout.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Earlier results too, not only the newest of a model.")] = False,
    results: Results = None,
    json: Json = False,
) -> int:
    """Export results to other forms.

    Of each model the newest that is comparable with others, or all on disk.
    """
    from benchrouter.faces.asked import scope_of
    from benchrouter.faces.place import typed_path
    from benchrouter.make.interruption import as_is
    from benchrouter.make.variables import UsageError
    from benchrouter.scores.doubts import losses
    from benchrouter.scores.export.rows import exported, rows_of

    if format in ("md", "junit") and rows != "jobs":
        raise UsageError(f"--rows {rows}: {format} has no rows; expected --format csv, jsonl or parquet beside it")
    if format == "parquet" and output is None and not json:
        raise UsageError("--format parquet is no text; name a file with -o")
    root = place(results)
    found = exported(root, scope_of(root, split(bench), split(model), split(tasks)), every=every)
    if not found:
        raise UsageError("no results here yet; `benchrouter run hello --model demo` makes some")
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
        text = data.decode()
        print(text, end="", file=sys.stdout if sys.stdout.isatty() else as_is(sys.stdout))
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
