"""A base that cannot be had is listed before anything starts; its jobs end `image_missing`, the rest runs."""

from __future__ import annotations

from project import SCORE, Project

NOWHERE = "registry.invalid/no/such:image"


def test_listed_first_and_strict_refuses(project: Project) -> None:
    """With strict=1 nothing is started at all, and nothing is recorded as an attempt."""
    project.benchmark("fine", {"t": SCORE % 0.5})
    project.benchmark("b", {"t": SCORE % 0.5, "u": SCORE % 0.5}, dockerfile=f"FROM {NOWHERE}\n")
    strict = project.run("strict=1", status=1)
    assert f"missing: {NOWHERE} for b/b: " in strict.out and "strict=1: not started" in strict.err
    assert project.ran(strict) == [] and project.artifacts() == [] and project.failures() == []
    done = project.run(status=1)
    assert done.out.index(f"missing: {NOWHERE} for b/b: ") < done.out.index(" started")
    missing = {f"b/{task}": "FAILED image_missing" for task in ("t", "u")}
    assert project.job_states() == {"fine/t": "COMPLETED", **missing}, done.text
    assert project.ran(done) == ["fine/t@m"]
    assert "overall - · coverage 0/2 · FAILED" in done.out
    again = project.run(status=1)
    assert project.ran(again) == [] and project.job_states()["b/t"] == "FAILED image_missing"
    assert project.run("bench=fine", "strict=1").status == 0
