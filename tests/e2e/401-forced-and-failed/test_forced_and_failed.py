"""A result that was to be made anew and was not stays; nobody takes it for one of this run."""

from __future__ import annotations

import json
from typing import Any

from project import SCORE, Project

NOWHERE = {"DOCKER_HOST": "unix:///nonexistent/docker.sock"}
FAILS = f'[ -z "$FAIL_NOW" ] || exit 3\n{SCORE % 0.5}'


def told(out: str) -> dict[str, Any]:
    """Give the last object that a command printed."""
    return dict(json.loads(out.splitlines()[-1]))


def test_an_earlier_result_was_shown_as_that_of_a_run_that_failed(project: Project) -> None:
    """COMPLETED 0.8000 in the table, status 1; now the row, the line of the overall and the JSON say what it is."""
    project.benchmark("b", {"t": SCORE % 0.5, "u": SCORE % 1})
    project.run()
    before = project.aggregate("b")
    done = project.run("-a", status=1, env=NOWHERE)
    rows = [line.split("  ") for line in done.out.splitlines() if line.startswith(("  t ", "  u "))]
    assert len(rows) == 2 and all("earlier result; FAILED now: engine" in "  ".join(row) for row in rows), done.out
    assert "overall 0.7500 · coverage 2/2 · COMPLETED · 2 earlier results in it, not made anew now" in done.out
    result = told(project.run("-a", "--json", status=1, env=NOWHERE).out)
    assert (result["state"], {job["state"] for job in result["jobs"]}) == ("FAILED", {"FAILED"})
    assert result["kept"] == ["job:b/t@m", "job:b/u@m"] and result["aggregates"] == [before] == [project.aggregate("b")]
    settled = project.run()
    assert "earlier" not in settled.out and told(project.run("--json").out)["kept"] == []


def test_only_what_failed_is_marked(project: Project) -> None:
    """A value that is passed by name is in no key: the same job that completed fails when it runs again."""
    project.benchmark("b", {"t": FAILS, "u": SCORE % 1}, task_yaml="pass_env: [FAIL_NOW]\n")
    project.run()
    done = project.run("-a", status=1, env={"FAIL_NOW": "1"})
    rows = {line.split()[0]: line for line in done.out.splitlines() if line.startswith(("  t ", "  u "))}
    assert "COMPLETED  0.5000" in rows["t"] and "earlier result; FAILED now: exit_code" in rows["t"]
    assert "COMPLETED  1.0000" in rows["u"] and "earlier" not in rows["u"]
    assert "· COMPLETED · 1 earlier result in it, not made anew now" in done.out
