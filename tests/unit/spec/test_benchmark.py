"""benchmark.yaml: tasks, environments, and every fault at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchrouter.spec.benchmark import (
    Benchmark,
    EnvironmentOptions,
    environment_directory,
    load_benchmark,
    missing_environment,
    parse_benchmark,
)
from benchrouter.spec.problems import SpecError


def make(tmp_path: Path, text: str, *tasks: str) -> Path:
    root = tmp_path / "b"
    root.mkdir(exist_ok=True)
    (root / "benchmark.yaml").write_text(text)
    for task in tasks:
        (root / task).mkdir(exist_ok=True)
        (root / task / "task.yaml").write_text("name: T\ncommand: x\n")
    return root


def faults(root: Path) -> list[str]:
    with pytest.raises(SpecError) as caught:
        load_benchmark(root)
    return [str(p).removeprefix(f"{root}/") for p in caught.value.problems]


def test_an_old_directory_loads_without_a_warning(tmp_path: Path) -> None:
    root = make(tmp_path, "name: mcp\ndescription: d\nversion: 1.10\ntasks:\n  - name: fs\n  - name: pg\n"
                "    environment: pg-env\n", "fs", "pg", "not-listed")  # fmt: skip
    (root / "common").mkdir()
    (root / "README.md").write_text("x")
    benchmark, warnings = load_benchmark(root)
    assert not warnings
    assert [(t.name, t.environment, t.line) for t in benchmark.tasks] == [
        ("fs", "mcp", 5),
        ("pg", "pg-env", 6),
    ]
    assert benchmark.version == "1.10"
    assert Benchmark.from_json(benchmark.to_json(), root) == benchmark


def test_names_that_yaml_takes_for_numbers(tmp_path: Path) -> None:
    benchmark, _ = load_benchmark(
        make(tmp_path, "name: 2024\ntasks: [{name: 001}, {name: 010}]\n", "001", "010")
    )
    assert (benchmark.name, [task.name for task in benchmark.tasks]) == ("2024", ["001", "010"])


def test_environment_options(tmp_path: Path) -> None:
    text = "name: b\ntasks: [{name: t}]\nenvironments: {b: {build_args: {V: 3.10}, platform: linux/amd64}}\n"
    benchmark, _ = load_benchmark(make(tmp_path, text, "t"))
    assert benchmark.options("b") == EnvironmentOptions({"V": "3.10"}, "linux/amd64")
    assert benchmark.options("other") == EnvironmentOptions()


def test_all_faults_come_at_once_with_their_lines(tmp_path: Path) -> None:
    root = make(tmp_path, "tasks:\n- name: ../x\n- name: t\n- name: t\n- {}\n- name: aggregates\n"
                "environments: {.x: {}}\naggregate: sum\n", "t")  # fmt: skip
    found = faults(root)
    expected = ["benchmark.yaml:1: `name` is missing", "benchmark.yaml:2: `tasks[0].name`",
                "benchmark.yaml:4: task `t`",
                "benchmark.yaml:5: `tasks[3].name` is missing", "benchmark.yaml:6: `tasks[4].name`",
                "benchmark.yaml:7: `environments..x`", "benchmark.yaml:8: `aggregate`"]  # fmt: skip
    for start in expected:
        assert any(fault.startswith(start) for fault in found), start


def test_a_task_listed_twice_on_one_line_was_dropped_silently(tmp_path: Path) -> None:
    for first, second in (("", ", environment: nope"), (", environment: nope", ""), ("", "")):
        text = f"name: b\ntasks: [{{name: t{first}}}, {{name: t{second}}}]\n"
        found = faults(make(tmp_path, text, "t"))
        assert "benchmark.yaml:2: task `t` is listed twice, first on line 2" in found


@pytest.mark.parametrize("tasks", ["", "tasks: []\n", "tasks: {a: b}\n", "tasks: x\n", "tasks: [a]\n"])
def test_a_benchmark_needs_tasks(tmp_path: Path, tasks: str) -> None:
    assert faults(make(tmp_path, f"name: b\n{tasks}"))


def test_missing_directories_are_named_with_the_nearest_one(tmp_path: Path) -> None:
    root = make(tmp_path, "name: b\ntasks:\n- name: arithmetik\n- name: empty\n", "arithmetic")
    (root / "empty").mkdir()
    assert faults(root) == [
        "benchmark.yaml:3: task `arithmetik`: no directory of that name (did you mean `arithmetic`?)",
        "benchmark.yaml:4: task `empty`: `empty/task.yaml` does not exist",
    ]


def test_a_bad_name_does_not_hide_a_missing_task_directory(tmp_path: Path) -> None:
    text = "name: ../b\ntasks:\n- {name: gone, environment: ok}\n- {name: also, environment: a/b}\n- name: there\n"
    root = make(tmp_path, text, "there")
    places = [fault.partition(": ")[0] for fault in faults(root)]
    assert places == ["benchmark.yaml:1", "benchmark.yaml:3", "benchmark.yaml:4", "benchmark.yaml:4"]
    benchmark, _ = parse_benchmark(root)
    assert [(t.name, t.environment) for t in benchmark.tasks] == [("gone", "ok"), ("also", ""), ("there", "")]


def test_faulty_build_options_make_their_environment_unknown(tmp_path: Path) -> None:
    """Nothing is derived from them: a Dockerfile that needs the argument is not blamed."""
    text = "name: b\naggregate: sum\ntasks:\n- name: t\n- {name: u, environment: e}\nenvironments:\n" \
        "  b: {build_args: {V: [1]}}\n  e: {build_args: {V: 1, 'X Y': 2}, platfrom: x}\n"  # fmt: skip
    root = make(tmp_path, text, "t", "u")
    benchmark, _ = parse_benchmark(root)
    assert [(t.name, t.environment) for t in benchmark.tasks] == [("t", ""), ("u", "e")]
    assert benchmark.options("e").build_args["V"] == "1"
    found = "\n".join(faults(root))
    assert "`environments.b.build_args.V`" in found and "'X Y' is no name of an environment variable" in found


def test_environments_are_looked_for_in_the_benchmark_then_in_the_workspace(tmp_path: Path) -> None:
    root = make(tmp_path, "name: b\ntasks: [{name: t}]\n", "t")
    benchmark, _ = load_benchmark(root)
    shared = tmp_path / "environments" / "b"
    shared.mkdir(parents=True)
    assert environment_directory(benchmark, "b", tmp_path) is None
    (shared / "Dockerfile").write_text("FROM x\n")
    assert environment_directory(benchmark, "b", tmp_path) == shared
    assert environment_directory(benchmark, "b", None) is None
    own = root / "environments" / "b"
    own.mkdir(parents=True)
    (own / "Dockerfile").write_text("FROM x\n")
    assert environment_directory(benchmark, "b", tmp_path) == own
    (root / "environments" / "browser").mkdir()
    (root / "environments" / "browser" / "Dockerfile").write_text("FROM x\n")
    message = str(missing_environment(benchmark, "brwser", tmp_path))
    assert "no `environments/brwser/Dockerfile` (did you mean `browser`?)" in message


def test_options_for_an_environment_that_nobody_uses_warn(tmp_path: Path) -> None:
    text = "name: b\ntasks: [{name: t, environment: main}]\nenvironments: {mian: {}}\n"
    _, warnings = load_benchmark(make(tmp_path, text, "t"))
    assert "did you mean `main`?" in warnings[0].message
