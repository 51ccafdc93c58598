"""Repeats under a seed are the same work done again: all of them are told, or none."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any
from xml.etree import ElementTree

from project import SCORE, Project

import benchrouter

ONE_OF_THREE = f'[ "$BENCHROUTER_SEED" = 11 ] || exit 3\n{SCORE % 0.5}'


def told(project: Project, *words: str, status: int = 0) -> str:
    """Give what the `benchrouter` command prints."""
    done = subprocess.run(
        [sys.executable, "-m", "benchrouter", *words],
        cwd=project.root, env=project.full_environment(), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == status, (done.stdout, done.stderr)
    return done.stdout


def test_green_for_ci_while_two_of_three_seeded_repeats_failed(project: Project) -> None:
    """Exports, rewards and JUnit silently held the first repeat alone: each repeat looked like other content."""
    project.benchmark("b", {"t": ONE_OF_THREE})
    project.run("repeat=3", "seed=11", status=1)
    suite = ElementTree.fromstring(told(project, "export", "b", "--format", "junit")).find("testsuite")
    assert suite is not None and (suite.attrib["tests"], suite.attrib["failures"]) == ("3", "2")
    jobs: list[dict[str, Any]] = json.loads(told(project, "export", "b", "--json"))["rows"]
    assert [(job["repeat"], job["state"]) for job in jobs] == [(0, "COMPLETED"), (1, "FAILED"), (2, "FAILED")]
    rewards = list(benchrouter.rewards("b", workspace=project.root))
    assert [(each.repeat, each.reward) for each in rewards] == [(0, 0.5), (1, None), (2, None)]
    found = benchrouter.results("b", workspace=project.root)
    assert len(found.rows("jobs")) == 3


def test_seed_of_the_task_itself(project: Project) -> None:
    project.benchmark("b", {"t": SCORE % 1}, task_yaml="seed: 3\nrepeat: 2\n")
    project.run()
    assert len(json.loads(told(project, "export", "b", "--rows", "rewards", "--json"))["rows"]) == 2
