"""What a run leaves on the terminal: tables with coverage, and for each failure how to look at it and repeat it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from shlex import quote
from typing import TextIO

from benchrouter.graph.nodes import JobNode
from benchrouter.make.session import Session
from benchrouter.scores.aggregate import Aggregate
from benchrouter.scores.table import Row, plain_table, rich_table, summary, title
from benchrouter.store import layout
from benchrouter.store.jobid import JobId
from benchrouter.store.states import Outcome, Reason

_MANY = 60
_SHOWN_FAILURES = 10
_LOG_LINES = 15
_NOT_REPEATABLE = (Reason.IMAGE_BUILD, Reason.IMAGE_MISSING, Reason.UNSUPPORTED)


def print_scores(session: Session, out: TextIO, outcomes: Mapping[JobId, Outcome] | None = None) -> None:
    """Print one table per benchmark and model; very many jobs that did not run now are summed up in one line."""
    outcomes = outcomes or {}
    asked = {job.id for job in session.asked_jobs}
    nodes = [node for node in session.graph.aggregates if any(job.id in asked for job in node.jobs)]
    terse = sum(len(node.jobs) for node in nodes) > _MANY and not outcomes
    console = _console(out)
    for node in nodes:
        scored = session.score(node, session.known_failures)
        if terse:
            print(f"{title(scored)}  {summary(scored)}", file=out)
            continue
        rows = _rows(session, scored, outcomes)
        if console is not None:
            console.print(rich_table(scored, rows))
        else:
            print("\n".join(plain_table(scored, rows)), file=out)


def _rows(session: Session, scored: Aggregate, outcomes: Mapping[JobId, Outcome]) -> list[Row]:
    rows = []
    for job in scored.jobs:
        outcome = outcomes.get(job.id)
        if outcome is not None:
            rows.append(Row(job, outcome.seconds, outcome.detail or "; ".join(outcome.warnings)))
        else:
            failure = session.known_failures.get(job.id)
            done = session.completed.get(job.id)
            detail = failure.detail if failure and done is None else "; ".join(done.warnings) if done else ""
            rows.append(Row(job, None, detail))
    return rows


def _console(out: TextIO):  # type: ignore[no-untyped-def]
    if not out.isatty():
        return None
    from rich.console import Console

    return Console(file=out)


def print_failures(session: Session, out: TextIO, failed: Iterable[tuple[JobNode, Outcome]]) -> None:
    """Show the end of each failed job's log, where all of it is, and how to repeat the job by hand."""
    causes: dict[tuple[object, str, str], list[tuple[JobNode, Outcome]]] = {}
    for job, outcome in failed:
        causes.setdefault((outcome.reason, outcome.detail, outcome.log_tail), []).append((job, outcome))
    for alike in list(causes.values())[:_SHOWN_FAILURES]:
        _print_cause(session, out, alike)
    if len(causes) > _SHOWN_FAILURES:
        print(f"\n{len(causes) - _SHOWN_FAILURES} more causes; the logs are in results/*/*/*/failed/", file=out)


def _print_cause(session: Session, out: TextIO, alike: list[tuple[JobNode, Outcome]]) -> None:
    """Show one cause once, with the jobs that it hit."""
    job, outcome = alike[0]
    word = outcome.reason.word if outcome.reason else ""
    others = f" and {len(alike) - 1} more" if len(alike) > 1 else ""
    print(f"\n{job.name}{others} FAILED {word}: {outcome.detail}", file=out)
    for line in outcome.log_tail.splitlines()[-_LOG_LINES:]:
        print(f"  | {line}", file=out)
    if not outcome.path:
        return
    if (Path(outcome.path) / layout.LOGS).is_dir():
        print(f"  logs:   {outcome.path}/{layout.LOGS}/", file=out)
    script = layout.config_dir(session.ws, job.id) / "run.sh"
    if outcome.reason not in _NOT_REPEATABLE and script.exists():
        print(f"  repeat: sh {quote(str(script))}", file=out)
