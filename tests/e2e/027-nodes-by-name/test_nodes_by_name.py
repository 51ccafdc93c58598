"""Any node can be run by its name or a pattern, as users of doit expect, and the exit status tells the truth."""

from __future__ import annotations

from project import SCORE, Project, wait_until


def test_each_kind(project: Project) -> None:
    """Base, image, configuration, job, aggregate; again, each is up to date; with -a a job runs once more."""
    dockerfile = "FROM debian:bookworm-slim\nRUN : 027\n"
    project.benchmark("b", {"t": SCORE % 0.5, "u": SCORE % 1}, dockerfile=dockerfile)
    base = project.doit("base:debian:bookworm-slim")
    assert base.status == 0 and "base:debian:bookworm-slim COMPLETED" in base.out, base.text
    image = project.doit("image:b/*")
    assert image.status == 0 and project.built(image) == ["b/b"], image.text
    assert "image:b/b is up to date" in project.doit("image:b/b").out
    config = project.doit("config:b/t@m", "model=m")
    assert config.status == 0 and (project.root / "cache" / "config" / "b" / "m" / "t" / "run.sh").exists()
    job = project.doit("job:b/t@m", "model=m", "preflight=0")
    assert job.status == 0 and project.ran(job) == ["b/t@m"] and not project.built(job)
    aggregate = project.doit("aggregate:b@m", "model=m", "preflight=0")
    assert aggregate.status == 0 and project.ran(aggregate) == ["b/u@m"]
    assert project.aggregate("b")["overall"] == 0.75
    for name in ("job:b/t@m", "aggregate:b@m"):
        done = project.doit(name, "model=m")
        assert done.status == 0 and f"{name} is up to date" in done.out, done.text
    always = project.doit("-a", "job:b/t@m", "model=m", "preflight=0")
    assert always.status == 0 and project.ran(always) == ["b/t@m"]
    wait_until(lambda: len(project.artifacts()) == 2)
    for command in ("plan", "run", "explain"):
        done = project.doit(command, "job:b/x@m", "model=m")
        assert done.status == 2 and "no node" in done.err and "`job:b/x@m` (did you mean `job:b/" in done.err, done.text


def test_a_base_that_cannot_be_had_by_name(project: Project) -> None:
    """Exit 1, with the reason: nothing was got."""
    project.benchmark("b", {"t": SCORE % 0.5}, dockerfile="FROM registry.invalid/no/such:image\n")
    done = project.doit("base:registry.invalid/no/such:image")
    assert done.status == 1 and "FAILED image_missing" in done.out, done.text
    done = project.doit("image:b/b")
    assert done.status == 1, done.text
