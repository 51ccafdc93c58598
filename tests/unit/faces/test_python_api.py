"""`import benchrouter`: what it costs, what it gives, and what it leaves alone."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer.main

import benchrouter
from benchrouter.faces.app import app
from benchrouter.faces.python.calling import BOTH_WAYS, words_of
from benchrouter.faces.python.running import How
from benchrouter.faces.python.tables import Table
from tests.unit.faces.workspaces import RUNS_NOWHERE, small_workspace
from tests.unit.scores.shelf import Shelf


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with results of two models."""
    root = small_workspace(tmp_path_factory.mktemp("api") / "w")
    shelf = Shelf(root / "results")
    for model, right in (("weak<b>", 2), ("strong", 19)):
        shelf.add(model, "one", [int(n < right) for n in range(20)])
    shelf.settle()
    return root


def test_importing_costs_nothing() -> None:
    code = "import sys; before = set(sys.modules); import benchrouter; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    assert [name for name in done.stdout.split() if name.startswith("benchrouter")] == ["benchrouter"]
    assert len(done.stdout.split()) < 5


def test_every_name_is_there_and_described() -> None:
    for name in benchrouter.__all__:
        assert getattr(benchrouter, name).__doc__ and name in dir(benchrouter)
    with pytest.raises(AttributeError, match="has no attribute 'rum'"):
        benchrouter.rum  # type: ignore[attr-defined]  # noqa: B018


def test_a_plan(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Path.cwd(), os.environ.get("BENCHROUTER_CWD")
    for name, value in RUNS_NOWHERE.items():
        monkeypatch.setenv(name, value)
    plan = benchrouter.plan("b", model="demo", tasks=["one"], env={"LIMIT": 3}, workspace=workspace / "benchmarks")
    assert (len(plan.due), plan.total, plan.due[0]["node"]) == (1, 1, "job:b/one@demo")
    assert str(plan).splitlines()[0] == "1 of 1 jobs to run" and "no result yet" in plan._repr_html_()
    assert (Path.cwd(), os.environ.get("BENCHROUTER_CWD")) == before


def test_a_run_that_fails_is_a_result_and_its_events_come_first(workspace: Path) -> None:
    """Where no engine answers."""
    seen: list[str] = []
    run = benchrouter.run(
        "b", model="demo", workspace=workspace, environ=RUNS_NOWHERE, on_event=lambda event: seen.append(event["event"])
    )
    assert (run.state, run.completed, run.status) == ("FAILED", False, 1)
    assert {job["reason"] for job in run.jobs} == {"engine"} and run.scores == {("b", "demo"): None}
    assert "begin" in seen and seen.count("ended") >= 2
    assert str(run).startswith("FAILED: b @ demo -, coverage 0/2")


@pytest.mark.parametrize("call", [benchrouter.plan, benchrouter.run])
def test_a_mistake_is_an_exception_with_the_message(workspace: Path, call: object) -> None:
    with pytest.raises(benchrouter.CommandError, match="benchmark directory `c`") as caught:
        call("c", model="demo", workspace=workspace)  # type: ignore[operator]
    assert caught.value.status == 2


def test_results_with_intervals_items_and_rows(workspace: Path) -> None:
    results = benchrouter.results("b", model=["strong", "weak<b>"], workspace=workspace)
    told = [(one.model, one.overall, one.coverage) for one in results]
    assert told == [("strong", 0.95, (1, 1)), ("weak<b>", 0.1, (1, 1))]
    strong = results[0]
    assert strong.interval is not None and strong.interval.low < 0.95 < strong.interval.high
    assert [item.id for item in strong.jobs[0].items[:2]] == ["i00000", "i00001"]
    assert len(results.rows("items")) == 40 and len(results[1:]) == 1
    assert "weak&lt;b&gt;" in results._repr_html_() and "<b>" not in results._repr_html_()
    assert "20/20" in str(strong)


def test_a_comparison(workspace: Path) -> None:
    compared = benchrouter.compare("b", ["strong", "weak<b>"], workspace=workspace)
    assert compared.best == "strong" and compared.table.rows[0][-1] == "best"
    with pytest.raises(benchrouter.ScoresError, match="no results of benchmark `c`"):
        benchrouter.compare("c", workspace=workspace)


def test_rewards_are_yielded(workspace: Path) -> None:
    rewards = list(benchrouter.rewards(model="strong", workspace=workspace))
    assert len(rewards) == 20 and (rewards[0].item, rewards[0].reward, rewards[-1].reward) == ("i00000", 1.0, 0.0)


@pytest.mark.parametrize("ask", [benchrouter.results, benchrouter.rewards])
@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"bench": "bb"}, "no result of benchmark `bb` (did you mean `b`?)"),
        ({"bench": "b", "model": "strnog"}, "no result of model `strnog` (did you mean `strong`?)"),
        ({"bench": "b/oen"}, "no result of task `oen` (did you mean `one`?)"),
        ({"tasks": "oen"}, "no result of task `oen` (did you mean `one`?)"),
        ({"bench": "./nowhere"}, "no benchmark.yaml there"),
    ],
)
def test_a_mistyped_name_was_silence(workspace: Path, ask: Callable[..., Any], how: dict[str, str], said: str) -> None:
    """It gave no results, and no rewards; the call itself fails now, not the first look at what it gave."""
    with pytest.raises(benchrouter.ScoresError, match=re.escape(said)):
        ask(**how, workspace=workspace)


def test_what_was_not_run_yet_is_no_error(tmp_path: Path) -> None:
    """A script may ask before it runs: for benchmarks, tasks, groups and models of the workspace."""
    root = small_workspace(tmp_path / "w")
    (root / "benchrouter.yaml").write_text("groups: {g: [b]}\nmodels: {mine: {endpoint: 'http://x/v1'}}\n")
    for bench in ("b", "b/one", "g", None):
        assert len(benchrouter.results(bench, model=["mine", "demo"], workspace=root)) == 0
    assert list(benchrouter.rewards("b", tasks="two", workspace=root)) == []


def test_no_workspace_is_said(tmp_path: Path) -> None:
    with pytest.raises(benchrouter.StoreError, match="no workspace here or above"):
        benchrouter.results(workspace=tmp_path)


def test_a_call_is_written_as_a_person_would() -> None:
    options = {"model": ["a", "b"], "repeat": 2, "seed": None, "env": {"X": 1}, "force": True, "failed": False}
    assert words_of("run", "hello", options) == [
        "run", "hello", "--model", "a", "--model", "b", "--repeat", "2", "--env", "X=1", "--force", "--json"
    ]  # fmt: skip


@pytest.mark.parametrize(("verb", "call"), [("plan", benchrouter.plan), ("run", benchrouter.start)])
def test_python_takes_what_the_command_takes(verb: str, call: Callable[..., object]) -> None:
    """preflight, cache, refresh and node were options of the command alone."""
    command = typer.main.get_command(app).commands[verb]  # type: ignore[attr-defined]
    options = {parameter.name: parameter for parameter in command.params}
    for_people = {"json", "plain"}
    keywords = inspect.signature(call).parameters
    assert keywords.keys() - {"workspace", "environ"} == options.keys() - for_people
    for name in options.keys() - for_people:
        assert keywords[name].default == options[name].default, name
        assert (name in BOTH_WAYS) == bool(options[name].secondary_opts), name


def test_run_takes_what_start_takes() -> None:
    assert How.__annotations__.keys() | {"bench"} == inspect.signature(benchrouter.start).parameters.keys()


def test_flags_that_are_on_can_be_put_off() -> None:
    options = {"preflight": False, "cache": False, "force": False, "node": "image:b/b"}
    assert words_of("run", None, options) == ["run", "--no-preflight", "--no-cache", "--node", "image:b/b", "--json"]


def test_a_table_says_how_many_rows_it_does_not_show() -> None:
    table = Table("t", ("a", "n"), (("x", "1"), ("long", "10")), frozenset({1}), more=3)
    assert table.text == "t\n  a      n\n  x      1\n  long  10\n  and 3 more"
    assert table.html.count("<tr>") == 4
