from __future__ import annotations

import io

import pytest
from rich.console import Console

from benchrouter.scores.aggregate import JobScore, aggregate
from benchrouter.scores.table import Row, duration, one_line, plain_table, rich_table, summary
from benchrouter.store.items import ItemCounts
from benchrouter.store.jobid import JobId
from benchrouter.store.states import JobState, Reason

JOBS = (
    JobScore(JobId("hello", "capitals", "a/b"), "k1", JobState.COMPLETED, 0.8),
    JobScore(JobId("hello", "odd[bold]", "a/b", 1), "k2", JobState.FAILED, reason=Reason.TIMEOUT),
)
ROWS = (Row(JOBS[0], 3.2), Row(JOBS[1], 7205, "still running\nafter\x1b[31m 7200 s"))
AGGREGATE = aggregate("hello", "a/b", 3, JOBS)


def test_plain_table() -> None:
    assert plain_table(AGGREGATE, ROWS) == [
        "hello @ a/b",
        "  task         state       score   time  reason",
        "  capitals     COMPLETED  0.8000   3.2s",
        "  odd[bold]#1  FAILED          -  2h00m  timeout: still running after [31m 7200 s",
        "  overall 0.8000 · coverage 1/3 · PARTIAL · with the task's own failures as 0: 0.4000",
    ]


def test_items_have_a_column_where_a_job_has_any() -> None:
    jobs = (
        JobScore(JobId("b", "x", "m"), "k1", JobState.COMPLETED, 0.8, items=ItemCounts(9, 10)),
        JobScore(JobId("b", "y", "m"), "k2", JobState.COMPLETED, 1.0),
        JobScore(JobId("b", "z", "m"), "k3", JobState.COMPLETED, 1.0, items=ItemCounts(120, 120)),
    )
    scored = aggregate("b", "m", 3, jobs)
    rows = [Row(jobs[0], detail="1 of 10 items could not be judged; q: crashed"), Row(jobs[1]), Row(jobs[2], 4)]
    assert plain_table(scored, rows) == [
        "b @ m",
        "  task  state       score    items  time  reason",
        "  x     COMPLETED  0.8000     9/10        1 of 10 items could not be judged; q: crashed",
        "  y     COMPLETED  1.0000",
        "  z     COMPLETED  1.0000  120/120  4.0s",
        "  overall 0.9333 · coverage 3/3 · COMPLETED · items 129/130, 1 not judged",
    ]
    out = io.StringIO()
    Console(file=out, width=120).print(rich_table(scored, rows))
    assert "120/120" in out.getvalue() and summary(scored) in out.getvalue()


def test_rich_table_shows_names_literally() -> None:
    out = io.StringIO()
    Console(file=out, width=120).print(rich_table(AGGREGATE, ROWS))
    assert "odd[bold]#1" in out.getvalue()
    assert summary(AGGREGATE) in out.getvalue()


def test_the_overall_is_never_shown_without_coverage() -> None:
    assert summary(aggregate("b", "m", 4, ())) == "overall - · coverage 0/4 · FAILED"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (None, ""),
        (0, "0.0s"),
        (59.94, "59.9s"),
        (59.96, "1m00s"),
        (187, "3m07s"),
        (3599.7, "1h00m"),
        (7500, "2h05m"),
    ],
)
def test_durations(seconds: float | None, shown: str) -> None:
    assert duration(seconds) == shown


def test_any_text_becomes_one_printable_line() -> None:
    assert one_line("a\n\tb\x1b[2J\x00c") == "a b [2J c"
    assert len(one_line("x" * 1000)) == 200
