"""A failed image blocks exactly its own jobs, those on images that build on it included."""

from __future__ import annotations

from project import SCORE, Project

ENVIRONMENTS = {
    "good": "FROM debian:bookworm-slim\n",
    "bad": "FROM debian:bookworm-slim\nRUN echo the-build-says-why && exit 7\n",
    "onbad": "FROM benchrouter-env-bad\n",
}


def test_exactly_its_jobs_are_image_build(project: Project) -> None:
    """The others run; the end of the build log is shown and kept; repaired, exactly the blocked ones run."""
    listed = "".join(f"  - {{name: {name}, environment: {name}}}\n" for name in ENVIRONMENTS)
    project.write("benchmarks/b/benchmark.yaml", f"name: b\ntasks:\n{listed}  - {{name: more, environment: bad}}\n")
    for name in (*ENVIRONMENTS, "more"):
        project.write(f"benchmarks/b/{name}/task.yaml", "name: x\ncommand: sh run.sh\n")
        project.write(f"benchmarks/b/{name}/run.sh", SCORE % 0.5)
    for name, text in ENVIRONMENTS.items():
        project.write(f"benchmarks/b/environments/{name}/Dockerfile", text)
    first = project.run(status=1)
    blocked = {f"b/{name}": "FAILED image_build" for name in ("bad", "more", "onbad")}
    assert project.job_states() == {"b/good": "COMPLETED", **blocked}, first.text
    assert project.ran(first) == ["b/good@m"]
    assert "the-build-says-why" in first.out and "coverage 1/4 · PARTIAL" in first.out
    assert "own failures as 0" not in first.out
    # A row said `image_build` and nothing else, as if the text above the table were of something else.
    row = next(line for line in first.out.splitlines() if line.startswith("  bad "))
    assert row.endswith("image_build: as said above"), first.out
    for path in project.failures():
        assert "the-build-says-why" in (path / "logs" / "build.log").read_text()

    alone = project.run("tasks=onbad", status=1)  # nobody shares its cause: the row says it
    row = next(line for line in alone.out.splitlines() if line.startswith("  onbad "))
    assert "image_build: " in row and "as said above" not in row, alone.out

    # Its jobs fail again, and only they are tried.
    second = project.run(status=1)
    assert project.ran(second) == [] and "b/bad" in project.built(second)
    project.write("benchmarks/b/environments/bad/Dockerfile", "FROM debian:bookworm-slim\nRUN :\n")
    third = project.run()
    assert sorted(project.built(third)) == ["b/bad", "b/onbad"]
    assert sorted(project.ran(third)) == ["b/bad@m", "b/more@m", "b/onbad@m"]
    assert project.aggregate("b")["state"] == "COMPLETED"
