"""Data volumes, supplied paths and hints in the three files: what is read, and what each fault says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchrouter.spec.benchmark import Benchmark, EnvironmentOptions, Hint, load_benchmark
from benchrouter.spec.data import DataMount, variable_of
from benchrouter.spec.problems import SpecError
from benchrouter.spec.settings import Binding, load_settings
from benchrouter.spec.task import Task, load_task

TASK = "name: T\ncommand: sh run.sh\n"
BENCHMARK = "name: b\ntasks: [{name: t}]\n"


def task(tmp_path: Path, data: str) -> Task:
    (tmp_path / "task.yaml").write_text(f"{TASK}{data}")
    found, warnings = load_task(tmp_path / "task.yaml")
    assert not warnings
    return found


def benchmark(tmp_path: Path, more: str) -> Benchmark:
    (tmp_path / "t").mkdir(exist_ok=True)
    (tmp_path / "t" / "task.yaml").write_text(TASK)
    (tmp_path / "benchmark.yaml").write_text(f"{BENCHMARK}{more}")
    found, warnings = load_benchmark(tmp_path)
    assert not warnings
    return found


def refused(action: object, *arguments: object) -> str:
    with pytest.raises(SpecError) as caught:
        action(*arguments)  # type: ignore[operator]
    return "\n".join(f"{problem.line}: {problem.message}" for problem in caught.value.problems)


def test_a_task_asks_for_volumes_by_name(tmp_path: Path) -> None:
    found = task(tmp_path, "data:\n- {name: hub, path: /data/hub/}\n- {name: out, path: /app/data, writable: true}\n")
    assert found.data == (DataMount("hub", "/data/hub"), DataMount("out", "/app/data", writable=True))
    assert Task.from_json(json.loads(json.dumps(found.to_json()))) == found
    assert found.score_fields()["data"][0] == {"name": "hub", "path": "/data/hub", "writable": False}
    assert "data" not in task(tmp_path, "").score_fields()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("{name: a, path: data}", "4: `data[0].path`: found 'data', expected an absolute path in the container"),
        ("{name: a, path: /}", "expected a path below `/`"),
        ("{name: a, path: /x/../app}", "expected a path below `/`, without `..`"),
        ("{name: a, path: '/with space'}", "of letters, digits and"),
        ("{name: a, path: '/x,readonly'}", "of letters, digits and"),
        ("{name: a, path: /app}", "expected another place: `/app/benchmark` is taken"),
        ("{name: a, path: /app/results/x}", "expected another place: `/app/results` is taken"),
        ("{name: a, path: //proc/1}", "expected another place: `/proc` is taken"),
        ("{name: ../a, path: /a}", "`data[0].name`: found '../a', a name must not be a path"),
        ("{path: /a}", "4: `data[0].name` is missing"),
        ("{name: a, path: /a, writable: 1}", "`data[0].writable`: found 1, expected true or false"),
        ("{name: a, path: /a}\n- {name: b, path: /a/b}", "5: `data[1].path`: `/a/b` and `/a` of `a` lie in each other"),
        ("{name: a-b, path: /a}\n- {name: a_b, path: /b}", "`a_b` is too much like `a-b`; rename one of them"),
    ],
)
def test_what_is_wrong_with_a_tasks_volumes(tmp_path: Path, data: str, said: str) -> None:
    assert said in refused(task, tmp_path, f"data:\n- {data}\n")


def test_a_misspelt_key_is_a_warning_with_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text(f"{TASK}data:\n- {{name: a, path: /a, writeable: true}}\n")
    (warning,) = load_task(tmp_path / "task.yaml")[1]
    assert (warning.line, "did you mean `writable`?" in warning.message) == (4, True)


def test_bindings_are_merged_and_identities_are_what_their_author_wrote(tmp_path: Path) -> None:
    shared = "data:\n  hub: {identity: 2026-05-01}\n  other: {path: data/other, identity: 1.10}\n  none:\n"
    (tmp_path / "benchrouter.yaml").write_text(shared)
    local = "data: {hub: {path: /srv/hub}, more: {path: ~/x, identity: content}}"
    (tmp_path / "benchrouter.local.yaml").write_text(local)
    settings, warnings = load_settings(tmp_path, {})
    assert not warnings
    assert settings.data == {
        "hub": Binding(Path("/srv/hub"), "2026-05-01"),
        "other": Binding(tmp_path / "data/other", "1.10"),
        "none": Binding(),
        "more": Binding(Path("~/x").expanduser(), "content"),
    }
    assert settings.place("data", "hub", "identity") == (str(tmp_path / "benchrouter.yaml"), 2)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("  hub: {path: /srv/hub}", "2: `data.hub.identity` is missing; say which state of the data it is"),
        ("  hub: {path: /srv/hub, identity: }", "2: `data.hub.identity` is missing"),
        ("  ../hub: {path: /srv/hub, identity: x}", "2: `data.../hub`: a name must not be a path"),
        ("  hub: {path: 5, identity: x}", "2: `data.hub.path`: found 5, expected text"),
        ("  hub: /srv/hub", "2: `data.hub`: found '/srv/hub', expected a mapping"),
    ],
)
def test_what_is_wrong_with_a_binding(tmp_path: Path, data: str, said: str) -> None:
    (tmp_path / "benchrouter.yaml").write_text(f"data:\n{data}\n")
    assert said in refused(load_settings, tmp_path, {})


def test_a_benchmark_says_what_the_user_supplies_and_how_to_get_things(tmp_path: Path) -> None:
    supplied = "environments:\n  b: {supplied: [src, ./data/x.json]}\n"
    found = benchmark(tmp_path, f"{supplied}obtain:\n  hub: >-\n    one\n    line\n  a:1: pull\n")
    assert found.options("b") == EnvironmentOptions(supplied=("src", "data/x.json"))
    assert found.obtain == {"hub": Hint("one line", 6), "a:1": Hint("pull", 9)}
    assert Benchmark.from_json(json.loads(json.dumps(found.to_json())), tmp_path) == found


@pytest.mark.parametrize("path", ["/src", "../src", "''", ".", "5"])
def test_a_supplied_path_stays_in_the_context(tmp_path: Path, path: str) -> None:
    said = refused(benchmark, tmp_path, f"environments:\n  b:\n    supplied: [{path}]\n")
    assert "`environments.b.supplied[0]`" in said and "inside the environment's directory" in said


def test_names_become_names_of_variables() -> None:
    assert variable_of("lmms-hub.v2") == "BENCHROUTER_DATA_LMMS_HUB_V2"
