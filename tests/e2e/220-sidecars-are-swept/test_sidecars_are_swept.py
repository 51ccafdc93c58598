"""Runs with sidecars, ended at a random moment: nothing of them is left after the next start."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from killing import (
    ROUNDS,
    SIGNALS,
    SOAKS,
    check_next_start,
    check_nothing_left,
    client,
    dead_runs,
    end_of,
    forget_results,
    kill_at,
    moment,
    scores_of,
    start,
)
from project import DOCKERFILE, SCORE, Project

JOBS = 6 if SOAKS else 3
SIDECARS = """\
    sidecars:
      - name: db
        build: b
        command: [sh, -c, "touch /tmp/ready; exec sleep 600"]
        ports: ["5432:5432"]
        volumes: ["data:/data", /anonymous]
        healthcheck: {test: test -e /tmp/ready, interval: 0.5s, retries: 50}
        post_start: ["touch /data/%s /anonymous/%s"]
"""
MARK = f"mark-{secrets.token_hex(8)}"


@dataclass(frozen=True)
class Undisturbed:
    """The workspace, its scores after a run in peace, and how long that took."""

    project: Project
    scores: dict[str, Any]
    seconds: float


@pytest.fixture(scope="module")
def undisturbed(lasting_project: Project) -> Undisturbed:
    """Run in peace, twice: the first time builds the image."""
    tasks = {f"t{i}": f"sleep 0.3; {SCORE % (i / 10)}" for i in range(JOBS)}
    lasting_project.benchmark("b", tasks, dockerfile=DOCKERFILE, task_yaml=SIDECARS % (MARK, MARK))
    for _ in range(2):
        forget_results(lasting_project)
        began = time.monotonic()
        done = end_of(start(lasting_project), 180)
        assert done.status == 0 and len(lasting_project.ran(done)) == JOBS, done.text
    check_nothing_left(lasting_project)
    return Undisturbed(lasting_project, scores_of(lasting_project), time.monotonic() - began)


def volumes() -> list[Path]:
    """List the volumes of our sidecars by what they hold: those without a name carry no label."""
    with client() as api:
        root = Path(api.info()["DockerRootDir"])
    return list(root.glob(f"volumes/*/_data/{MARK}"))


def rules(*runs: str) -> list[str]:
    """List the rules of the packet filter that name these runs, where it can be asked."""
    if os.geteuid() != 0 or shutil.which("iptables") is None:
        return []
    said = subprocess.run(["iptables", "--wait", "-S", "INPUT"], capture_output=True, text=True, check=True).stdout
    return [line for line in said.splitlines() if any(run in line for run in runs)]


@pytest.mark.soak
@pytest.mark.parametrize("number", range(1, ROUNDS + 1))
@pytest.mark.parametrize("which", SIGNALS, ids=lambda which: which.name)
def test_a_run_with_sidecars_ended_at_a_random_moment(
    undisturbed: Undisturbed, which: signal.Signals, number: int
) -> None:
    """End a run, then start again."""
    project = undisturbed.project
    forget_results(project)
    after = moment(f"sidecars {which.name}", number, 0.3, undisturbed.seconds)
    done = kill_at(start(project), which, after)
    dead = dead_runs(project)
    if which is not signal.SIGKILL and done.status == 130:
        check_nothing_left(project)
        records = [record.stem for record in (project.root / "runs").glob("*.json")]  # none, where it had not begun
        assert not volumes() and not rules(*records)
    check_next_start(project, undisturbed.scores)
    assert not volumes() and not rules(*dead)
