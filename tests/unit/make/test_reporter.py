"""What a plain reporter prints."""

from __future__ import annotations

import io

import pytest

from benchrouter.make.reporter import PlainReporter, Work


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (Work(0, 1, 0), "1 job to run"),
        (Work(0, 1, 1), "1 job to run, 1 at a time"),
        (Work(1, 3, 2), "1 image to build, 3 jobs to run, 2 at a time"),
    ],
)
def test_jobs_of_which_none_can_run_are_not_said_to_run_0_at_a_time(work: Work, said: str) -> None:
    """One that is unsupported here counts as to run, but not as running beside others."""
    out = io.StringIO()
    PlainReporter(out, clock=lambda: 0.0).begin(work)
    assert out.getvalue().partition(" ")[2] == f"{said}\n"
