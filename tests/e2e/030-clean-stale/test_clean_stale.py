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


def test_stale_took_one_repeat_of_three(project: Project) -> None:
    """A run under a seed is another ask; of one and the same ask all repeats go, or none."""
    project.benchmark("b", {"t": SCRIPT})
    project.run("repeat=3", "seed=11")
    project.run("repeat=2")
    seeded_and_not, written = set(project.artifacts()), aggregates(project)
    assert len(seeded_and_not) == 5 and project.doit("clean", "stale=1", "model=m").out == "nothing to remove\n"
    assert set(project.artifacts()) == seeded_and_not and aggregates(project) == written
    project.write("benchmarks/b/t/run.sh", SCRIPT + "# edited")
    project.run()
    dry = project.doit("clean", "stale=1", "model=m", "-n").out
    assert set(project.artifacts()) > seeded_and_not
    assert project.doit("clean", "stale=1", "model=m").out == dry.replace("would remove", "removed")
    left = set(project.artifacts())
    assert len(left) == 4 and len(left & seeded_and_not) == 3  # those under the seed, and the new one
    assert project.doit("clean", "stale=1", "model=m", "seed=11").out.count("removed") == 4  # and their aggregate
    assert len(project.artifacts()) == 1 and project.due() == []


def test_stale_takes_what_an_edited_seed_supersedes(project: Project) -> None:
    """A seed of task.yaml is content, as everything in it."""
    project.benchmark("b", {"t": SCRIPT}, task_yaml="seed: 3\nrepeat: 2\n")
    project.run()
    project.run("seed=5")
    yaml = project.root / "benchmarks/b/t/task.yaml"
    yaml.write_text(yaml.read_text().replace("seed: 3", "seed: 4"))
    project.run()
    old = len(project.artifacts())
    project.doit("clean", "stale=1", "model=m")
    assert (old, len(project.artifacts())) == (6, 4) and project.due() == []
