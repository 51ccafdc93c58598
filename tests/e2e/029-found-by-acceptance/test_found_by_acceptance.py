"""Faults that a stranger's acceptance found: each keeps the right behaviour."""

from __future__ import annotations

import json
from pathlib import Path

from project import SCORE, Project

STAMPED = "FROM debian:bookworm-slim\nRUN cat /proc/sys/kernel/random/uuid >/stamp\n"
SHOW = """
stamp=$(cat /stamp)
printf '{"overall": 1, "stamp": "%s"}' "$stamp" >"$BENCHROUTER_OUTPUT_DIR/result.json"
"""


def stamps(project: Project) -> set[str]:
    """Read the stamps that completed jobs found in their images."""
    return {json.loads((path / "result.json").read_text())["raw_metrics"]["stamp"] for path in project.artifacts()}


def test_a_refresh_always_rebuilds_also_when_the_lock_was_lost(project: Project) -> None:
    """An epoch is unique: neither an old image nor an old result may stand for it."""
    project.benchmark("z", {"t": SHOW}, dockerfile=STAMPED)
    project.run()
    project.run("refresh=z/z")
    assert len(stamps(project)) == 2
    (project.root / "benchrouter.lock").unlink()
    done = project.run("refresh=z/z")
    assert project.ran(done) == ["z/t@m"]
    assert len(stamps(project)) == 3
    assert "z/z" in json.loads((project.root / "benchrouter.lock").read_text())["epochs"]
    assert project.ran(project.run()) == []


def test_a_benchmark_from_elsewhere_with_the_name_of_one_here_is_refused(project: Project, tmp_path: Path) -> None:
    """Their results would share a directory, and cleaning one would take the other's."""
    project.benchmark("b", {"t": SCORE % 1})
    other = Project.make(tmp_path / "other")
    root = other.benchmark("b", {"t": SCORE % 0})
    done = project.doit("run", "model=m", "preflight=0", f"bench={root}")
    assert done.status == 2 and "like" in done.err and "rename" in done.err


def test_nodes_outside_the_default_group_are_found_by_name(project: Project) -> None:
    """The default group says what runs without `bench=`, not what can be named."""
    project.benchmark("a", {"t": SCORE % 1})
    project.benchmark("b", {"t": SCORE % 1})
    project.write("benchrouter.yaml", "groups:\n  default: [a]\n")
    assert project.doit("explain", "job:b/t@m", "model=m").status == 0
    assert "job:b/t@m" in project.doit("list", "--all", "model=m").out
    assert project.ran(project.run("job:b/*")) == ["b/t@m"]
    assert project.ran(project.run()) == ["a/t@m"]


def test_a_workspace_that_cannot_be_written_is_one_line(project: Project) -> None:
    """A mistake or a fact of the machine, never a traceback."""
    project.benchmark("b", {"t": SCORE % 1})
    (project.root / "cache").write_text("not a directory\n")
    done = project.doit("run", "model=m", "preflight=0")
    assert done.status == 2 and "Traceback" not in done.text and str(project.root / "cache") in done.err
    (project.root / "cache").unlink()


def test_variables_that_are_named_and_not_set_are_said(project: Project) -> None:
    """A key that is missing is noticed before a night is spent on it."""
    project.benchmark("b", {"t": SCORE % 1}, task_yaml="pass_env: [SOME_TOKEN]\n")
    project.write(
        "benchrouter.yaml", "models:\n  m1:\n    endpoint: http://127.0.0.1:9/v1\n    api_key_env: M1_KEY\n"
    )
    done = project.run(model="m1")
    assert "M1_KEY (api_key_env) is not set" in done.out and "SOME_TOKEN (pass_env) is not set" in done.out
