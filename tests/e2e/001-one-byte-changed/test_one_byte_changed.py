"""A changed byte in a task's script runs its job again, and nothing else."""

from __future__ import annotations

from project import SCORE, Project


def test_only_the_job_of_the_changed_script_runs_again(project: Project) -> None:
    """Change one of two scripts: one job and the aggregate move."""
    project.benchmark("b", {"one": SCORE % 0.5, "two": SCORE % 1})
    first = project.run()
    assert project.ran(first) == ["b/one@m", "b/two@m"] or set(project.ran(first)) == {"b/one@m", "b/two@m"}
    assert project.aggregate("b")["overall"] == 0.75
    project.write("benchmarks/b/one/run.sh", SCORE % 0.7)
    explained = project.doit("explain", "job:b/one@m", "model=m")
    assert "file benchmarks/b/one/run.sh changed" in explained.out
    assert project.ran(project.run()) == ["b/one@m"]
    assert project.aggregate("b")["overall"] == 0.85
    assert project.ran(project.run()) == []
