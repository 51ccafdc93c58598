"""`doit clean stale=1` takes what the present keys supersede, and nothing of another ask."""

from __future__ import annotations

from pathlib import Path

from project import SCORE, Project

SCRIPT = """echo '{"overall": '${SCORE-0.5}'}' >"$BENCHROUTER_OUTPUT_DIR/result.json" """


def aggregates(project: Project) -> set[Path]:
    """List the directory of aggregates."""
    return set((project.root / "results" / "b" / "m" / "aggregates").iterdir())


def test_stale_left_superseded_aggregates(project: Project) -> None:
    """They stayed until there were a hundred of them; now those of old keys, old task lists and torn ones go."""
    project.benchmark("b", {"t": SCRIPT, "u": SCRIPT})
    project.run()
    (old,) = aggregates(project)
    project.run("SCORE=0.9")
    project.write("benchmarks/b/t/run.sh", SCRIPT + "# edited")
    project.run()
    project.run("tasks=t")
    project.run("repeat=2")
    kept = aggregates(project) - {old}
    assert len(kept) == 4  # of this ask, of one of its tasks, of its repeats, and of other variables
    torn = next(iter(kept)).with_name("0123456789abcdef0123456789abcdef.json")
    torn.write_text('{"jobs": [')
    done = project.doit("clean", "stale=1", "model=m")
    assert done.status == 0 and f"removed {torn.relative_to(project.root)}" in done.out, done.text
    assert aggregates(project) == kept
    assert project.due() == [] and project.doit("clean", "stale=1", "model=m").out == "nothing to remove\n"


def test_stale_left_aggregates_of_another_list_of_tasks(project: Project) -> None:
    """A task that came or went makes another aggregate, also where no job of the old one is superseded."""
    root = project.benchmark("b", {"t": SCORE % 1, "u": SCORE % 0})
    project.run()
    (before,) = aggregates(project)
    listed = (root / "benchmark.yaml").read_text()
    (root / "benchmark.yaml").write_text(listed.replace("  - name: u\n", ""))
    project.run()
    assert len(aggregates(project)) == 2
    project.doit("clean", "stale=1", "model=m")
    (after,) = aggregates(project)
    assert after != before
    (root / "benchmark.yaml").write_text(listed)
    project.run()
    project.doit("clean", "stale=1", "model=m")
    assert aggregates(project) == {before}
