"""A run of many jobs at -n 8, ended at a random moment: the next start finishes the rest, and only that."""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass
from typing import Any

import pytest
from killing import (
    ROUNDS,
    SIGNALS,
    SOAKS,
    check_next_start,
    check_nothing_left,
    dead_runs,
    end_of,
    forget_results,
    kill_at,
    moment,
    scores_of,
    start,
)
from project import SCORE, Project

JOBS = 24 if SOAKS else 14  # more than run at once


@dataclass(frozen=True)
class Undisturbed:
    """The workspace, its scores after a run in peace, and how long that took."""

    project: Project
    scores: dict[str, Any]
    seconds: float


@pytest.fixture(scope="module")
def undisturbed(lasting_project: Project) -> Undisturbed:
    """Run in peace, twice: the first time builds the image."""
    tasks = {f"t{i:02}": f"sleep 0.1; {SCORE % (i / 40)}" for i in range(JOBS)}
    lasting_project.benchmark("b", tasks)
    for _ in range(2):
        forget_results(lasting_project)
        began = time.monotonic()
        done = end_of(start(lasting_project), 120)
        assert done.status == 0 and len(lasting_project.ran(done)) == JOBS, done.text
    return Undisturbed(lasting_project, scores_of(lasting_project), time.monotonic() - began)


@pytest.mark.soak
@pytest.mark.parametrize("number", range(1, ROUNDS + 1))
@pytest.mark.parametrize("which", SIGNALS, ids=lambda which: which.name)
def test_a_run_ended_at_a_random_moment(undisturbed: Undisturbed, which: signal.Signals, number: int) -> None:
    """End a run, then start again."""
    project = undisturbed.project
    forget_results(project)
    after = moment(f"run {which.name}", number, 0.1, undisturbed.seconds)
    done = kill_at(start(project), which, after)
    if which is not signal.SIGKILL and done.status == 130:
        check_nothing_left(project)
        assert not dead_runs(project)
    check_next_start(project, undisturbed.scores)


def test_killed_again_and_again(undisturbed: Undisturbed) -> None:
    """Kill run after run, also while it sweeps up after the one before."""
    project = undisturbed.project
    forget_results(project)
    for number in range(1, 5):
        kill_at(start(project), signal.SIGKILL, moment("again", number, 0.4, 1.6))
    check_next_start(project, undisturbed.scores)
