"""Variables, repeats, seeds and model declarations are part of the key, and `explain` names them."""

from __future__ import annotations

import json

from project import Project

SAY = """printf '{"overall": 0.5, "v": "%s", "s": "%s"}' "${V-unset}" "${BENCHROUTER_SEED-unset}" \
>"$BENCHROUTER_OUTPUT_DIR/result.json" """


def said(project: Project, key: str) -> set[str]:
    """Collect what the jobs saw."""
    found = [json.loads((path / "result.json").read_text()) for path in project.artifacts()]
    return {str(result["raw_metrics"][key]) for result in found}


def test_each_value_has_a_result_of_its_own(project: Project) -> None:
    """Another variable, repeat or seed runs what is new; going back finds what was there."""
    project.benchmark("b", {"t": SAY})
    assert project.ran(project.run()) == ["b/t@m"]

    assert "because variable V added" in project.doit("plan", "model=m", "V=one").out
    assert project.ran(project.run("V=one")) == ["b/t@m"]
    assert "because variable V changed: one -> two" in project.doit("plan", "model=m", "V=two").out
    assert project.ran(project.run("V=two")) == ["b/t@m"]
    assert said(project, "v") == {"unset", "one", "two"}
    for words in ((), ("V=one",), ("V=two",)):
        assert project.ran(project.run(*words)) == []

    repeated = project.run("repeat=3")
    assert sorted(project.ran(repeated)) == ["b/t@m#1", "b/t@m#2"]
    assert "coverage 3/3" in repeated.out
    explained = project.doit("explain", "job:b/t@m", "model=m", "seed=7").out
    assert explained.endswith("runs, because\n    - seed changed: None -> 7\n"), explained
    assert sorted(project.ran(project.run("repeat=2", "seed=7"))) == ["b/t@m", "b/t@m#1"]
    assert said(project, "s") == {"unset", "7", "8"}
    assert project.ran(project.run("seed=7")) == project.ran(project.run("repeat=3")) == []
    assert project.doit("list", "--all", "model=m", "repeat=2").out.count("job:b/t@m") == 2


def test_a_model_is_what_its_declaration_says(project: Project) -> None:
    """Parameters and revision of a declared model count, its limit of concurrency does not."""
    project.benchmark("b", {"t": SAY})
    declared = "models: {m: {endpoint: 'http://127.0.0.1:9/v1', id: x, parameters: {temperature: 0}%s}}\n"
    project.write("benchrouter.yaml", declared % "")
    assert project.ran(project.run()) == ["b/t@m"]
    project.write("benchrouter.yaml", declared % ", max_concurrency: 2")
    assert project.due() == []
    project.write("benchrouter.yaml", declared % ", revision: r2")
    assert "because model revision" in project.doit("plan", "model=m").out
    project.write("benchrouter.yaml", (declared % "").replace("temperature: 0", "temperature: 1"))
    assert "because model parameters.temperature changed: 0 -> 1" in project.doit("plan", "model=m").out


def test_a_damaged_result_runs_again_and_is_named(project: Project) -> None:
    """A torn, an empty and a removed artifact are missing, whatever other results there are."""
    project.benchmark("b", {"t": SAY, "u": SAY, "v": SAY})
    project.run("V=one")
    project.run()
    torn, empty, removed = (
        next(path for path in project.artifacts("b", task) if "V" not in (path / "job.json").read_text())
        for task in ("t", "u", "v")
    )
    (torn / "result.json").write_bytes((torn / "result.json").read_bytes()[:-5])
    (empty / "job.json").write_bytes(b"")
    (removed / "result.json").unlink()
    done = project.doit("plan", "model=m")
    assert done.out.count("because its result is damaged") == 3, done.out
    assert len(project.ran(project.run())) == 3
    assert project.ran(project.run()) == []
