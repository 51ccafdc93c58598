"""A run of some tasks, or with a variable, never overwrites the aggregate over all of them."""

from __future__ import annotations

from pathlib import Path

from project import Project

SCRIPT = """echo '{"overall": '${SCORE-0.5}'}' >"$BENCHROUTER_OUTPUT_DIR/result.json" """


def test_the_headline_stays(project: Project) -> None:
    """Each distinct set of jobs has an aggregate of its own; only a whole one without variables is the headline."""
    root = project.benchmark("b", {"t": SCRIPT, "u": SCRIPT})
    project.write("benchrouter.yaml", "groups: {some: [b/t]}\n")
    for words in (("tasks=t",), ("bench=b/t",), ("bench=some",), ("SCORE=0.9",), ("tasks=t,u", "SCORE=0.9")):
        done = project.run(*words)
        assert "coverage 1/2" in done.out or "SCORE=0.9" in words
        assert not headline(project).exists(), words
    project.run()
    whole = headline(project).read_bytes()
    assert project.aggregate("b")["coverage"] == {"completed": 2, "declared": 2}
    partial = project.run("tasks=t", "SCORE=0.8")
    assert "overall 0.8000 · coverage 1/2" in partial.out
    (root / "t" / "run.sh").write_text(SCRIPT + "#")
    assert project.ran(project.run("bench=b/t")) == ["b/t@m"]
    assert project.ran(project.doit("job:b/t@m", "model=m", "SCORE=0.7", "preflight=0")) == ["b/t@m"]
    assert headline(project).read_bytes() == whole
    each = list((headline(project).parent / "aggregates").glob("*.json"))
    assert len(each) == 5
    # All of them again, by name or not, is the headline; nothing has to run for it.
    done = project.run("tasks=b/t,u")
    assert project.ran(done) == [] and headline(project).read_bytes() != whole
    assert project.aggregate("b")["overall"] == 0.5


def headline(project: Project) -> Path:
    """Give the path of the aggregate over all tasks."""
    return project.root / "results" / "b" / "m" / "aggregate.json"
