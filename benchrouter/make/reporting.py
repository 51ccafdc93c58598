"""The report at the end of a run: written again where that costs little, and never in the way of the run."""

from __future__ import annotations

from collections.abc import Callable

from benchrouter.store import layout
from benchrouter.store.workspace import Workspace

CHEAP = 1000
"""Jobs in all aggregates up to which the report is written after each run: about a second."""


def refresh_report(ws: Workspace, note: Callable[[str], None]) -> None:
    """Write the report after a run; of a large workspace, or when it cannot be written, say what to do."""
    from benchrouter.scores.collected import aggregates

    jobs = sum(len(one.document["jobs"]) for one in aggregates(ws.results))
    if jobs > CHEAP:
        note(f"results/report.html: not written again for {jobs} jobs; `benchrouter report` does it")
        return
    from benchrouter.scores.report.page import write_report

    try:
        write_report(ws)
    except OSError as error:
        note(f"{layout.report_file(ws).relative_to(ws.root)}: not written: {error.strerror or error}")
