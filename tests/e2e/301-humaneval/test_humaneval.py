"""HumanEval in containers: what the model wrote is executed, and scored by the package."""

from __future__ import annotations

import pytest
from odd_endpoint import lost, odd_endpoint
from offline import LIMIT, answer_lines, ask, check_demo, check_endpoints, declare, ids, selected
from project import Project
from shipped import ship

TASKS = ("problems-000-040", "problems-041-081", "problems-082-122", "problems-123-163")


@pytest.fixture(scope="module")
def shipped(lasting_project: Project) -> Project:
    ship(lasting_project, ("humaneval",))
    return lasting_project


def test_the_demo_model_is_wrong_as_often_as_it_should_be(shipped: Project) -> None:
    check_demo(shipped, "humaneval", dict.fromkeys(TASKS, 41))


def test_an_endpoint_without_answers_is_no_zero(shipped: Project) -> None:
    with odd_endpoint() as url:
        check_endpoints(shipped, url, "humaneval", TASKS[0], ("500", "nonsense"))


def test_problems_that_an_endpoint_loses_are_errors_and_the_rest_is_executed(shipped: Project) -> None:
    """The endpoint knows no Python, and fails at some problems: those have no score, the others 0."""
    with odd_endpoint() as url:
        declare(shipped, url, ("some",))
        result = ask(shipped, "some", "bench=humaneval", f"tasks={TASKS[0]}", "BENCH_LIMIT=12")
    assert isinstance(result, dict)
    questions = {line["item"]: line["question"] for line in answer_lines("humaneval")}
    chosen = selected(ids("humaneval", TASKS[0]))[:12]
    expected = ["endpoint" if lost(questions[name]) else "failed" for name in chosen]
    assert {"endpoint", "failed"} == set(expected)
    items = result["raw_metrics"]["items"]
    assert [item["id"] for item in items] == chosen
    assert [(item.get("error") or item["result"]).partition(":")[0] for item in items] == expected
    assert result["overall"] == 0.0


def test_an_edited_bridge_runs_all_its_tasks_again(shipped: Project) -> None:
    words = ("bench=humaneval", f"BENCH_LIMIT={LIMIT}")
    assert shipped.due(*words, model="demo") == []
    with (shipped.root / "benchmarks/humaneval/code/bridge.py").open("a") as file:
        file.write("# edited\n")
    assert shipped.due(*words, model="demo") == [f"humaneval/{task}@demo" for task in TASKS]
