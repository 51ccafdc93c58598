"""What a run leaves on the terminal: tables with coverage, and for each failure how to look at it and repeat it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TextIO

from benchrouter.make.causes import SHOWN, Cause
from benchrouter.make.session import Session
from benchrouter.make.voice import in_its_words
from benchrouter.make.volumes import data_by_hand
from benchrouter.scores.aggregate import Aggregate
from benchrouter.scores.table import Row, plain_table, rich_table, summary, title
from benchrouter.store import layout
from benchrouter.store.jobid import JobId
from benchrouter.store.states import Outcome, Reason

_MANY = 60
_NAMED = 3
_LOG_LINES = 15
_TOLD = "as said above"
_NOT_REPEATABLE = (Reason.IMAGE_BUILD, Reason.IMAGE_MISSING, Reason.UNSUPPORTED)


def print_scores(
    session: Session,
    out: TextIO,
    outcomes: Mapping[JobId, Outcome] | None = None,
    told: Collection[JobId] = (),
) -> None:
    """Print one table per benchmark and model; very many jobs that did not run now are summed up in one line.

    Of the jobs in `told` everything but the reason has been said.
    """
    outcomes = outcomes or {}
    asked = {job.id for job in session.asked_jobs}
    nodes = [node for node in session.graph.aggregates if any(job.id in asked for job in node.jobs)]
    terse = sum(len(node.jobs) for node in nodes) > _MANY and not outcomes
    console, kept = _console(out), session.standing.kept()
    for node in nodes:
        scored = session.score(node, session.known_failures)
        if terse:
            earlier = sum(job.id in kept for job in scored.jobs)
            print(f"{title(scored)}  {summary(scored, earlier)}", file=out)
            continue
        rows = _rows(session, scored, outcomes, told, kept)
        if console is not None:
            console.print(rich_table(scored, rows))
        else:
            print("\n".join(plain_table(scored, rows)), file=out)


def _rows(
    session: Session,
    scored: Aggregate,
    outcomes: Mapping[JobId, Outcome],
    told: Collection[JobId],
    kept: Collection[JobId],
) -> list[Row]:
    rows = []
    for job in scored.jobs:
        outcome = outcomes.get(job.id)
        if job.id in kept:
            seconds = outcome.seconds if outcome else None
            rows.append(Row(job, seconds, _why_kept(outcome, told=job.id in told), earlier=True))
        elif outcome is not None:
            detail = _TOLD if job.id in told else in_its_words(outcome.detail) or _warned(outcome.warnings)
            rows.append(Row(job, outcome.seconds, detail))
        else:
            failure = session.known_failures.get(job.id)
            done = session.completed.get(job.id)
            detail = failure.detail if failure and done is None else _warned(done.warnings) if done else ""
            rows.append(Row(job, None, in_its_words(detail)))
    return rows


def _why_kept(outcome: Outcome | None, *, told: bool) -> str:
    if outcome is None or outcome.reason is None:
        return "earlier result; did not run now"
    detail = f": {_TOLD if told else in_its_words(outcome.detail)}" if outcome.detail else ""
    return f"earlier result; FAILED now: {outcome.reason.word}{detail}"


def _warned(warnings: Sequence[str]) -> str:
    return f"warning: {'; '.join(warnings)}" if warnings else ""


def _console(out: TextIO):  # type: ignore[no-untyped-def]
    if not out.isatty():
        return None
    from benchrouter.make.console import OurConsole

    return OurConsole(out)


def print_causes(session: Session, out: TextIO, causes: Sequence[Cause]) -> None:
    """Show the end of the log behind each failure, where all of it is, and how to repeat the job by hand."""
    for cause in causes[:SHOWN]:
        head, *more = _block(session, cause)
        if more or not cause.told_in_table:
            print(f"\n{head}", *more, sep="\n", file=out)
    if len(causes) > SHOWN:
        print(f"\n{len(causes) - SHOWN} more causes; the logs are in results/*/*/*/failed/", file=out)


def _block(session: Session, cause: Cause) -> Iterator[str]:
    word = cause.reason.word if cause.reason else ""
    first, *others = map(session.shown, cause.nodes)
    yield f"{first} FAILED {word}" + ("" if cause.told_in_table else f": {in_its_words(cause.detail)}")
    if others:
        more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        yield f"  also:   {', '.join(others[:_NAMED])}{more}"
    yield from (f"  | {line}" for line in cause.log_tail.splitlines()[-_LOG_LINES:])
    job, path = next(((job, outcome.path) for job, outcome in cause.jobs if outcome.path), (None, ""))
    if job is None:
        return
    if (Path(path) / layout.LOGS).is_dir():
        yield f"  logs:   {path}/{layout.LOGS}/"
    script = layout.config_dir(session.ws, job.id) / "run.sh"
    if cause.reason not in _NOT_REPEATABLE and script.exists():
        words = [*data_by_hand(session, job), "sh", quote(str(script))]
        yield f"  repeat: {' '.join(words)}"
