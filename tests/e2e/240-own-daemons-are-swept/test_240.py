"""Runs with daemons of their own, ended at a random moment: nothing of them is left after the next start."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import Any

import pytest
from killing import (
    ROUNDS,
    SIGINT_AND_SIGKILL,
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
from own_daemons import OWN, attached, daemons, inodes, seeds
from project import SCORE, Project

JOBS = 4 if SOAKS else 2
pytestmark = pytest.mark.skipif(shutil.which("losetup") is None, reason="needs losetup to look")


@dataclass(frozen=True)
class Undisturbed:
    """The workspace, its scores after a run in peace, and how long that took with its seed there."""

    project: Project
    scores: dict[str, Any]
    seconds: float


@pytest.fixture(scope="module")
def undisturbed(lasting_project: Project) -> Undisturbed:
    """Run in peace, twice: the first time builds the image and makes the seed."""
    daemons(lasting_project, {f"t{i}": f"{OWN} sleep 0.3 && {SCORE % (i / 10)}" for i in range(JOBS)})
    for _ in range(2):
        forget_results(lasting_project)
        began = time.monotonic()
        done = end_of(start(lasting_project), 300)
        assert done.status == 0 and len(lasting_project.ran(done)) == JOBS, done.text
    check_nothing_left(lasting_project)
    return Undisturbed(lasting_project, scores_of(lasting_project), time.monotonic() - began)


@pytest.mark.soak
@pytest.mark.parametrize("number", range(1, ROUNDS + 1))
@pytest.mark.parametrize("which", SIGNALS, ids=lambda which: which.name)
def test_a_run_with_daemons_ended_at_a_random_moment(
    undisturbed: Undisturbed, which: signal.Signals, number: int
) -> None:
    project = undisturbed.project
    forget_results(project)
    after = moment(f"dind {which.name}", number, 0.3, undisturbed.seconds)
    done = kill_at(start(project), which, after)
    if which is not signal.SIGKILL and done.status == 130:
        check_nothing_left(project)
        assert not dead_runs(project)
        assert not attached(inodes(seeds(project)))
    check_next_start(project, undisturbed.scores)
    assert not attached(inodes(seeds(project)))


@pytest.mark.parametrize("which", SIGINT_AND_SIGKILL, ids=lambda which: which.name)
def test_ended_while_the_seed_is_made(undisturbed: Undisturbed, which: signal.Signals) -> None:
    project = undisturbed.project
    forget_results(project)
    shutil.rmtree(project.root / "cache" / "seeds")
    process = start(project)
    until = time.monotonic() + 60
    while not attached(inodes(seeds(project))) and time.monotonic() < until:
        time.sleep(0.05)
    making = inodes(seeds(project))
    assert making and process.poll() is None
    time.sleep(moment(f"seed {which.name}", 1, 0.0, 2.0))
    process.send_signal(which)
    end_of(process)
    if which is not signal.SIGKILL:
        assert not attached(making)
        assert not seeds(project)
    check_next_start(project, undisturbed.scores)
    assert not attached(making | inodes(seeds(project)))
    assert [path.suffix for path in seeds(project)] == [".img"]


def test_the_engines_own_mounts_are_as_before(undisturbed: Undisturbed) -> None:
    """Nothing was mounted on the host on the way: the seeds are mounted inside the jobs only."""
    said = subprocess.run(["cat", "/proc/self/mounts"], capture_output=True, text=True, check=True).stdout
    # The engine's data directory may well be mounted, and have our name in its path.
    assert "benchrouter-seed" not in said and "/cache/seeds" not in said and str(undisturbed.project.root) not in said
