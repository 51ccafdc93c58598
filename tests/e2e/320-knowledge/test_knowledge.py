"""Six sets of multiple-choice questions, asked in containers."""

from __future__ import annotations

from pathlib import Path

import pytest
from odd_endpoint import SAID, odd_endpoint
from offline import LIMIT, answer_lines, ask, check_demo, check_endpoints, declare, ids, selected
from project import Project
from shipped import ship

QUESTIONS = {
    "mmlu": 2842,
    "openbookqa": 500,
    "truthfulqa": 299,
    "boolq": 3270,
    "medqa": 1273,
    "commonsenseqa": 1221,
}
DATA = "environments/knowledge/Dockerfile"


@pytest.fixture(scope="module")
def shipped(lasting_project: Project) -> Project:
    ship(lasting_project, ("knowledge",))
    return lasting_project


def test_the_demo_model_is_wrong_as_often_as_it_should_be(shipped: Project) -> None:
    check_demo(shipped, "knowledge", QUESTIONS)


def test_an_endpoint_without_answers_is_no_zero(shipped: Project) -> None:
    with odd_endpoint() as url:
        check_endpoints(shipped, url, "knowledge", "boolq", ("429", "nothing"))


def test_questions_that_an_endpoint_loses_are_errors_and_the_rest_is_judged(shipped: Project) -> None:
    with odd_endpoint() as url:
        declare(shipped, url, ("some",))
        result = ask(shipped, "some", "bench=knowledge", "tasks=medqa", "BENCH_LIMIT=30")
    assert isinstance(result, dict)
    items = result["raw_metrics"]["items"]
    assert [item["id"] for item in items] == selected(ids("knowledge", "medqa"))[:30]
    judged = [item for item in items if "error" not in item]
    assert 0 < len(judged) < 30
    assert all("status 400" in item["error"] for item in items if item not in judged)
    right = {line["item"] for line in answer_lines("knowledge") if line["answer"] == SAID}
    assert result["overall"] == pytest.approx(sum(item["id"] in right for item in judged) / len(judged))


def test_an_edited_bridge_or_set_runs_exactly_its_tasks_again(shipped: Project) -> None:
    words = ("bench=knowledge", f"BENCH_LIMIT={LIMIT}")
    root = shipped.root / "benchmarks" / "knowledge"
    assert shipped.due(*words, model="demo") == []
    with (root / "truthfulqa" / "task_mc.json").open("a") as file:
        file.write("\n")
    assert shipped.due(*words, model="demo") == ["knowledge/truthfulqa@demo"]
    with (root / "code" / "bridge.py").open("a") as file:
        file.write("# edited\n")
    assert shipped.due(*words, model="demo") == [f"knowledge/{task}@demo" for task in QUESTIONS]


def test_data_that_are_missing_or_others_end_the_task_with_one_line(shipped: Project) -> None:
    with (shipped.root / "benchmarks" / "knowledge" / DATA).open("a") as file:
        file.write("RUN cd /data && rm boolq.jsonl && sed -i 1d mmlu.jsonl && cp medqa.jsonl openbookqa.jsonl\n")
    done = shipped.doit("run", "model=demo", "bench=knowledge", "tasks=boolq,mmlu,openbookqa", "BENCH_LIMIT=1")
    assert done.status == 1, done.text
    said = {
        "boolq": "knowledge: /data/boolq.jsonl: cannot be read (No such file or directory)\n",
        "mmlu": "knowledge: /data/mmlu.jsonl: 2849 questions, expected the 2850 of mmlu\n",
        "openbookqa": "knowledge: /data/openbookqa.jsonl: 1273 questions, expected the 500 of openbookqa\n",
    }
    states = shipped.job_states()
    for task, line in said.items():
        assert states[f"knowledge/{task}"] == "FAILED exit_code"
        (failed,) = shipped.failures("knowledge", task, "demo")
        assert (Path(failed) / "logs" / "stderr.log").read_text() == line


def test_a_limit_that_is_no_number_is_refused(shipped: Project) -> None:
    done = shipped.doit("run", "model=demo", "bench=knowledge", "tasks=truthfulqa", "BENCH_LIMIT=few")
    assert done.status == 1, done.text
    assert "BENCH_LIMIT=few: expected a whole number of at least 1" in done.out
