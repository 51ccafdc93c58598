"""The report at the end of a run: written again where that costs little, and never in the way of the run."""

from __future__ import annotations

import sys
from collections.abc import Callable

from benchrouter.scores.collected import Listed, aggregates
from benchrouter.store import layout
from benchrouter.store.workspace import Workspace

CHEAP_JOBS, CHEAP_ITEMS = 1000, 20_000
"""Jobs and items in all aggregates up to which the report is written after each run: about a second."""


def refresh_report(ws: Workspace, note: Callable[[str], None]) -> None:
    """Write the report after a run; of a large workspace, or when it cannot be written, say what to do."""
    found = list(aggregates(ws.results))
    jobs, items = sum(len(one.document["jobs"]) for one in found), sum(map(_items, found))
    if jobs > CHEAP_JOBS or items > CHEAP_ITEMS:
        many = f"{jobs} jobs with {items} items"
        note(f"results/report.html: not written again for {many}; `benchrouter report` does it")
        return
    from benchrouter.scores.report.page import write_report

    try:
        path = write_report(ws)
        if sys.stdout.isatty():
            note(f"report: {path.relative_to(ws.root)}")
    except OSError as error:
        note(f"{layout.report_file(ws).relative_to(ws.root)}: not written: {error.strerror or error}")


def _items(one: Listed) -> int:
    counts = one.document.get("items")
    selected = counts.get("selected") if isinstance(counts, dict) else 0
    return selected if isinstance(selected, int) else 0
