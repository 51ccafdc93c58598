"""From the page's data to its bytes (pure), and from a workspace to `results/report.html`."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from benchrouter.scores.report.draw import moment, plot, timeline, trend
from benchrouter.scores.report.embedded import visible
from benchrouter.scores.report.view import Page
from benchrouter.scores.scope import EVERYTHING, Scope
from benchrouter.scores.table import duration, one_line, score
from benchrouter.store import layout, runs
from benchrouter.store.atomic import make_dirs, write_atomic
from benchrouter.store.runs import RunRecord
from benchrouter.store.workspace import Workspace

RUNS = 20
"""Newest runs whose timelines the page shows."""


def write_report(ws: Workspace, scope: Scope = EVERYTHING, path: Path | None = None) -> Path:
    """Write the report over a workspace's results, or a scope of them; return its path. Raise OSError."""
    if path is None:
        path = layout.report_file(ws)
        make_dirs(path.parent, durable=False)
    records, torn = runs.history(ws, newest=RUNS if scope.everything else None)
    shown = [one for record in records[::-1] if (one := _within(record, scope)) is not None][:RUNS]
    notes = [f"runs/{one.name} is torn and left out" for one in torn]
    return write_page(ws.results, scope, path, shown, notes)


def write_page(
    results: Path, scope: Scope, path: Path, records: Sequence[RunRecord] = (), notes: Sequence[str] = ()
) -> Path:
    """Write the page over a results directory, wherever it is, with some runs; return its path. Raise OSError."""
    from benchrouter.scores.report.gather import gather

    write_atomic(path, render(gather(results, records, notes, scope, path.parent)), durable=False)
    return path


def _within(record: RunRecord, scope: Scope) -> RunRecord | None:
    """Keep the jobs of a run that are looked at; None for a run without any."""
    if scope.everything:
        return record
    jobs = tuple(job for job in record.jobs if scope.task(job.id) and scope.model(job.id.model))
    return replace(record, jobs=jobs) if jobs else None


def render(page: Page) -> bytes:
    """Render the page: UTF-8, self-contained, the same for the same data; all text in it escaped."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    template, css, js = map(_packaged, ("report.html.j2", "report.css", "report.js"))
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_visible
    )
    anchors = page.anchors
    text = environment.from_string(template).render(
        page=page,
        css=Markup(css),
        js=Markup(js),
        allowed=Markup(f"sha256-{b64encode(sha256(js.encode()).digest()).decode()}"),  # no script but ours
        plot=lambda *values: Markup(plot(*values)),
        timeline=lambda record: Markup(timeline(record, anchors)),
        block=Markup,
        number=score,
        span=lambda bounds: f"{score(bounds.low)} – {score(bounds.high)}" if bounds else "",
        duration=duration,
        short=one_line,
        trend=lambda row: Markup(trend((row.now, *row.earlier))),
        moment=moment,
    )
    return text.encode("utf-8", "replace")


def _packaged(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")


def _visible(value: Any) -> Any:
    return value if hasattr(value, "__html__") else visible(str(value))
