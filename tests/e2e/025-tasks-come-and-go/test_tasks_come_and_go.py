"""Tasks, repeats and places of benchmarks come and go: only what is new runs, and the aggregate follows."""

from __future__ import annotations

import shutil
from pathlib import Path

from project import SCORE, Project


def test_the_aggregate_follows_and_nothing_else_moves(project: Project, tmp_path: Path) -> None:
    """Add a task, remove it, move the environment into the workspace, name the benchmark by path."""
    root = project.benchmark("b", {"t": SCORE % 0.5, "u": SCORE % 1})
    project.run()
    project.write("benchmarks/b/new/task.yaml", "name: new\ncommand: sh ../benchmark/run.sh\n")
    project.write("benchmarks/b/new/run.sh", SCORE % 0)
    before = (root / "benchmark.yaml").read_text()
    (root / "benchmark.yaml").write_text(before + "  - {name: new}\n")
    assert project.ran(project.run()) == ["b/new@m"]
    assert project.aggregate("b")["overall"] == 0.5
    (root / "benchmark.yaml").write_text(before)
    done = project.run()
    assert project.ran(done) == [] and "coverage 2/2" in done.out and project.aggregate("b")["overall"] == 0.75

    (project.root / "environments").mkdir()
    (root / "environments" / "b").rename(project.root / "environments" / "b")
    assert project.due() == []
    elsewhere = tmp_path / "else" / "where"
    shutil.move(root, elsewhere)
    done = project.run(f"bench={elsewhere}")
    assert project.ran(done) == [] and "overall 0.7500" in done.out, done.text
    # Two of one name would mix: refused, with both places.
    shutil.copytree(elsewhere, root)
    both = project.doit("run", f"bench=b,{elsewhere}", "model=m")
    assert both.status == 2 and f"is named `b` like {root}" in both.err
