"""`benchrouter report`: the page over everything in `results/`, or the leaderboard across runs."""

from __future__ import annotations

from typing import Annotated

import typer

from benchrouter.faces.out import Json, emit, say


def report(
    leaderboard: Annotated[
        bool, typer.Option("--leaderboard", help="The best complete result of each model; leaderboard.json.")
    ] = False,
    json: Json = False,
) -> int:
    """Write the report, or rank the models.

    results/report.html is a page to open in any browser; with --leaderboard, models are ranked.
    """
    from benchrouter.faces.place import enter

    ws = enter()
    if leaderboard:
        from benchrouter.scores.leaderboard import leaderboard_json, lines, write_leaderboard

        found = write_leaderboard(ws.results)
        if json:
            emit("leaderboard", boards=leaderboard_json(ws.results, found)["boards"])
        else:
            say(lines(found))
        return 0
    from benchrouter.scores.report.page import write_report
    from benchrouter.store import runs

    torn = runs.set_aside(ws, runs.history(ws)[1])
    moved = [path.relative_to(ws.root).as_posix() for path in torn]
    path = write_report(ws)
    if json:
        emit("report", path=str(path), torn=moved)
    else:
        say(f"torn record set aside: {name}" for name in moved)
        print(path)
    return 0
