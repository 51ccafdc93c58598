"""`benchrouter report`: the page over results, all or some of them, or the leaderboard across runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchrouter.faces.compare import Benchmarks, Results, place
from benchrouter.faces.out import Json, emit, say
from benchrouter.faces.words import Model, Tasks, split

if TYPE_CHECKING:
    from benchrouter.scores.scope import Scope
    from benchrouter.store.workspace import Workspace


def report(
    bench: Benchmarks = None,
    model: Model = None,
    tasks: Tasks = None,
    leaderboard: Annotated[
        bool, typer.Option("--leaderboard", help="The best complete result of each model; leaderboard.json.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file; of some results results/report-NAME.html.", show_default=False),
    ] = None,
    results: Results = None,
    json: Json = False,
) -> int:
    """Write the report, or rank the models.

    results/report.html is a page to open in any browser; with --leaderboard, models are ranked.
    Of --results, what is written goes there, and a page has no timelines of runs.
    """
    from benchrouter.faces.asked import scope_of
    from benchrouter.faces.place import enter, typed_path

    root = place(results)
    scope = scope_of(root, split(bench), split(model), split(tasks))
    stem, suffix = ("leaderboard", "json") if leaderboard else ("report", "html")
    path = None if output is None else typed_path(output)
    if path is None and not scope.everything:  # the file about all of them stays as it is
        path = root / f"{stem}-{scope.label}.{suffix}"
    if leaderboard:
        _rank(root, scope, path, json=json)
    elif results is not None:
        from benchrouter.scores.report.page import write_page

        _written(write_page(root, scope, path or root / "report.html"), [], json=json)
    else:
        _show(enter(), scope, path, json=json)
    return 0


def _rank(results: Path, scope: Scope, path: Path | None, *, json: bool) -> None:
    from benchrouter.scores.leaderboard import leaderboard_json, lines, write_leaderboard

    found = write_leaderboard(results, scope, path)
    if json:
        emit("leaderboard", boards=leaderboard_json(results, found)["boards"])
    else:
        say(lines(found))


def _show(ws: Workspace, scope: Scope, path: Path | None, *, json: bool) -> None:
    from benchrouter.scores.report.page import write_report
    from benchrouter.store import runs

    torn = runs.set_aside(ws, runs.history(ws)[1])
    moved = [each.relative_to(ws.root).as_posix() for each in torn]
    _written(write_report(ws, scope, path), moved, json=json)


def _written(path: Path, torn: list[str], *, json: bool) -> None:
    if json:
        emit("report", path=str(path), torn=torn)
    else:
        say(f"torn record set aside: {name}" for name in torn)
        print(path)
