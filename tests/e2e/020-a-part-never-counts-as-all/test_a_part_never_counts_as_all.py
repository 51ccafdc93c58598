"""A run of some tasks, or with a variable, never overwrites the aggregate over all of them."""

from __future__ import annotations

import json
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


def test_a_group_of_four_of_five_tasks_is_completed_with_that_coverage(project: Project) -> None:
    """The state is over the jobs that the run owns, coverage over the declared tasks: exit 0, 4/5, no headline."""
    project.benchmark("b", {f"t{n}": f"SCORE=0.{n}; {SCRIPT}" for n in range(1, 6)})
    project.benchmark("c", {"u": SCRIPT})
    project.write("benchrouter.yaml", "groups: {all-offline: [b/t1, b/t2, c, b/t3, b/t4]}\n")
    done = project.run("bench=all-offline")
    assert "overall 0.2500 · coverage 4/5 · COMPLETED" in done.out
    assert project.newest_run()["state"] == "COMPLETED" and len(project.newest_run()["jobs"]) == 5
    (part,) = (headline(project).parent / "aggregates").glob("*.json")
    written = json.loads(part.read_text())
    assert (written["state"], written["coverage"]) == ("COMPLETED", {"completed": 4, "declared": 5})
    assert not headline(project).exists() and project.aggregate("c")["coverage"] == {"completed": 1, "declared": 1}
    project.run("bench=b")
    whole = headline(project).read_bytes()
    again = project.run("bench=all-offline")
    assert project.ran(again) == [] and "coverage 4/5 · COMPLETED" in again.out
    assert headline(project).read_bytes() == whole and project.aggregate("b")["overall"] == 0.3


def headline(project: Project) -> Path:
    """Give the path of the aggregate over all tasks."""
    return project.root / "results" / "b" / "m" / "aggregate.json"
