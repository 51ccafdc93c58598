"""Whatever models, tasks and environments are called: no collision, no escape, valid names everywhere."""

from __future__ import annotations

import json

import pytest
from project import SCORE, Project, containers_of

MODELS = (
    "openai/gpt-4o", "openai-gpt-4o", "a=b", "a-b", "gpt-4.1", "gpt-4-1", "GPT-4.1", "x" * 200, "x" * 201,
    "modèle-é", "with two spaces", "../../escape", "..", "-n", "$(id)", 'quo"te\'s', "all", "failed", "a*b", "#1",
)  # fmt: skip
TASKS = ("a__b", "a-b", "a_b", "A_B", "a.b", "x_", "t" * 100)


def test_models(project: Project) -> None:
    """Every model has results, aggregates and nodes of its own; the container is told the name as typed."""
    script = """printf '%s' "$BENCHROUTER_MODEL_NAME" >"$BENCHROUTER_OUTPUT_DIR/name"\n""" + SCORE % 0.5
    project.benchmark("b", {"t": script})
    given = ",".join(MODELS)
    done = project.run("-n", "16", model=given)
    assert len(project.ran(done)) == len(MODELS)
    seen = {(path / "output" / "name").read_text() for path in project.artifacts()}
    assert seen == set(MODELS)
    folders = [path.name for path in (project.root / "results" / "b").iterdir()]
    assert len({name.lower() for name in folders}) == len(MODELS) and "gpt-4.1" in folders
    assert all(len(name) <= 100 and name.isascii() for name in folders)
    assert sorted(path.name for path in project.root.parent.iterdir()) == ["workspace"]
    for path in project.artifacts():
        assert json.loads((path / "result.json").read_text())["model_name"] in MODELS
    assert project.ran(project.run(model=given)) == []

    listed = project.doit("list", "--all", "-q", f"model={given}").out.split()
    jobs = [name for name in listed if name.startswith("job:")]
    assert len(set(jobs)) == len(MODELS)
    for name in jobs:
        assert not set(name.split("@")[1]) & set("=*/:#@ '\"")
    assert project.doit("info", jobs[0], f"model={given}").status == 0
    for form in ("mermaid", "dot"):
        picture = project.doit("graph", "full=1", f"format={form}", f"model={given}")
        assert picture.status == 0 and all(name in picture.out for name in jobs)
    # One by its node's name, as doit users do; then some by a pattern.
    (project.root / "benchmarks" / "b" / "t" / "run.sh").write_text(script + "#")
    one = project.doit(jobs[3], f"model={given}", "preflight=0")
    assert one.status == 0 and [f"job:{name}" for name in project.ran(one)] == [jobs[3]], one.text
    few = ",".join(MODELS[:6])
    due = project.due(model=few)
    rest = project.doit("-n", "16", "job:b/*", f"model={few}", "preflight=0")
    assert rest.status == 0 and sorted(project.ran(rest)) == sorted(due) and len(due) >= 5, rest.text
    assert containers_of(project.id) == []


def test_tasks_and_environments(project: Project) -> None:
    """Names that differ by a dash, an underscore, a dot or by case stay apart; each is a node of its own."""
    for bench in ("a__b", "a-b", "a_b", "A-B"):
        listed = "".join(f"  - {{name: {task}, environment: {bench}}}\n" for task in TASKS)
        project.write(f"benchmarks/{bench}/benchmark.yaml", f"name: {bench}\ntasks:\n{listed}")
        project.write(f"benchmarks/{bench}/environments/{bench}/Dockerfile", "FROM debian:bookworm-slim\n# 021\n")
        for i, task in enumerate(TASKS):
            project.write(f"benchmarks/{bench}/{task}/task.yaml", "name: x\ncommand: sh run.sh\n")
            project.write(f"benchmarks/{bench}/{task}/run.sh", SCORE % (i / 10))
    done = project.run("-n", "16")
    assert len(project.ran(done)) == 4 * len(TASKS) == len(project.artifacts())
    assert done.out.count("overall 0.3000 · coverage 7/7 · COMPLETED") == 4
    for path in project.artifacts():
        result = json.loads((path / "result.json").read_text())
        assert (result["benchmark_name"], result["task_name"]) == (path.parts[-4], path.parts[-2])
        assert result["overall"] == TASKS.index(path.parts[-2]) / 10
    project.write("benchmarks/a-b/a_b/run.sh", SCORE % 0.9)
    assert project.ran(project.run("job:a*b/a*b@m")) == ["a-b/a_b@m"]
    assert project.due("tasks=a-b/a_b") == []


@pytest.mark.parametrize("name", ["..", "a/b", ".hidden", "-dash", "failed", "aggregates", "sp ace", "a:b", "t" * 101])
def test_unsafe_names_are_refused(project: Project, name: str) -> None:
    """Before anything runs, with the place."""
    project.benchmark("b", {"t": SCORE % 0.5})
    project.write("benchmarks/b/benchmark.yaml", f"name: b\ntasks:\n  - name: {json.dumps(name)}\n")
    done = project.doit("plan", "model=m")
    assert done.status == 2 and "benchmarks/b/benchmark.yaml:3: " in done.err, done.text


def test_words_that_name_nothing(project: Project) -> None:
    """A typo runs nothing, ends 2 and names the nearest word."""
    project.benchmark("bench", {"task-one": SCORE % 0.5})
    for words, expected in (
        (("model=m", "tasks=task-on"), "did you mean `task-one`?"),
        (("model=m", "bench=bensh"), "did you mean `bench`?"),
        (("modle=m",), "did you mean `model`?"),
        (("model=m", "bench=bench/task-ine"), "did you mean `task-one`?"),
        (("model=m", "refresh=bench/bensh"), "did you mean `bench/bench`?"),
        ((), "no model given"),
    ):
        for command in ("run", "plan"):
            done = project.doit(command, *words)
            assert done.status == 2 and expected in done.err, (words, done.text)
            assert "Traceback" not in done.text
    done = project.doit("explain", "job:bench/task-two@m", "model=m")
    assert done.status == 2 and "did you mean `job:bench/task-one@m`?" in done.err
    unknown = project.doit("job:bench/nothing@m", "model=m")
    assert unknown.status in (2, 3) and "Traceback" not in unknown.text, unknown.text
    assert not (project.root / "results").exists() or project.artifacts() == []
