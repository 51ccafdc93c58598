"""One failing task: its siblings finish, the truth is told, the next run executes exactly the failed one."""

from __future__ import annotations

from project import SCORE, Project


def test_partial_and_only_the_failed_ones_run_again(project: Project) -> None:
    """Exit 1, PARTIAL, coverage and reasons; then the failed two alone; repaired, COMPLETED and exit 0."""
    tasks = {f"t{i}": SCORE % 0.5 for i in range(6)}
    tasks["fails"] = "echo something went wrong >&2; exit 3"
    tasks["empty"] = ":"
    root = project.benchmark("b", tasks)
    project.benchmark("other", {"t": SCORE % 1})
    first = project.run(status=1)
    assert len(project.ran(first)) == 9
    states = project.job_states()
    assert states.pop("b/fails") == "FAILED exit_code" and states.pop("b/empty") == "FAILED no_result"
    assert set(states.values()) == {"COMPLETED"}
    assert project.newest_run()["state"] == "PARTIAL"
    assert "overall 0.5000 · coverage 6/8 · PARTIAL · with the task's own failures as 0: 0.3750" in first.out
    assert "job:b/fails@m FAILED exit_code" in first.out and "  | something went wrong" in first.out
    assert f"logs:   {project.failures('b', 'fails')[0]}/logs/" in first.out
    assert "repeat: sh " in first.out and "overall 1.0000 · coverage 1/1 · COMPLETED" in first.out
    aggregate = project.aggregate("b")
    assert (aggregate["state"], aggregate["overall"], aggregate["overall_failures_as_zero"]) == (
        "PARTIAL", 0.5, 0.375,
    )  # fmt: skip
    assert aggregate["coverage"] == {"completed": 6, "declared": 8}
    reasons = {job["task"]: job["reason"] for job in aggregate["jobs"] if job["state"] != "COMPLETED"}
    assert reasons == {"fails": "exit_code", "empty": "no_result"}

    explained = project.doit("explain", "job:b/fails@m", "model=m").out
    assert "failed before: exit_code: " in explained
    assert sorted(project.ran(project.run(status=1))) == ["b/empty@m", "b/fails@m"]
    assert len(project.failures("b", "fails")) == 2

    (root / "fails" / "run.sh").write_text(SCORE % 0.5)
    (root / "empty" / "run.sh").write_text(SCORE % 0.5)
    last = project.run()
    assert sorted(project.ran(last)) == ["b/empty@m", "b/fails@m"]
    assert "overall 0.5000 · coverage 8/8 · COMPLETED" in last.out and project.newest_run()["state"] == "COMPLETED"
    assert project.ran(project.run()) == []


def test_all_fail(project: Project) -> None:
    """FAILED, exit 1, no mean of nothing."""
    project.benchmark("b", {"a": "exit 1", "b": "exit 1"})
    done = project.run(status=1)
    assert project.newest_run()["state"] == "FAILED"
    assert "overall - · coverage 0/2 · FAILED" in done.out
    assert project.aggregate("b")["overall"] is None and project.aggregate("b")["overall_failures_as_zero"] == 0
