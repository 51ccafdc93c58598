"""Seven categories of BFCL: tools on offer, calls judged by bfcl_eval's own checker in containers."""

from __future__ import annotations

import pytest
from odd_endpoint import odd_endpoint
from offline import LIMIT, ask, check_demo, check_endpoints, declare
from project import Project
from shipped import ask_demo, results, ship
from verdicts import document, last_failure

ENTRIES = {
    "simple-python": 400,
    "multiple": 200,
    "parallel": 200,
    "parallel-multiple": 200,
    "live-simple": 258,
    "live-multiple": 1053,
    "irrelevance": 240,
}
DATA = '"$(python -c "import bfcl_eval, os; print(os.path.dirname(bfcl_eval.__file__))")/data"'


@pytest.fixture(scope="module")
def shipped(lasting_project: Project) -> Project:
    ship(lasting_project, ("bfcl",))
    return lasting_project


def test_the_demo_model_is_wrong_as_often_as_it_should_be(shipped: Project) -> None:
    check_demo(shipped, "bfcl", ENTRIES)


def test_every_possible_answer_is_right_but_those_that_upstream_contradicts(project: Project) -> None:
    ship(project, ("bfcl",))
    ask_demo(project, "bench=bfcl")
    never = {"live-simple": {"live_simple_112-68-0"}, "live-multiple": {"live_multiple_964-207-0"}}
    full = results(project, "bfcl")
    assert full.keys() == ENTRIES.keys()
    for task, size in ENTRIES.items():
        items = full[task]["raw_metrics"]["items"]
        wrong = [(n, item["id"]) for n, item in enumerate(items, start=1) if item["score"] == 0]
        unplanned = {name for n, name in wrong if n != 1 and (n < 10 or n % 5)}
        assert (unplanned, len(items)) == (never.get(task, set()), size)
        assert full[task]["overall"] == (size - size // 5 - len(unplanned)) / size


def test_an_endpoint_without_answers_is_neither_a_zero_nor_a_one(shipped: Project) -> None:
    with odd_endpoint() as url:
        check_endpoints(shipped, url, "bfcl", "live-simple,irrelevance", ("429", "empty"))


def test_an_endpoint_that_takes_no_tools_is_told_from_one_that_is_down(shipped: Project) -> None:
    with odd_endpoint() as url:
        declare(shipped, url, ("no-tools",))
        failed = ask(shipped, "no-tools", "bench=bfcl", "tasks=multiple", f"BENCH_LIMIT={LIMIT}", status=1)
    assert not isinstance(failed, dict)
    assert document(failed / "job.json")["reason"] == "exit_code"
    last = (failed / "logs" / "stderr.log").read_text().splitlines()[-1]
    assert last.startswith("bfcl: the endpoint refuses `tools`, and BFCL needs a model that calls tools (")
    assert "this model has no tools" in last


def test_a_model_that_only_talks_calls_nothing(shipped: Project) -> None:
    with odd_endpoint() as url:
        declare(shipped, url, ("talks",))
        words = ("bench=bfcl", "tasks=parallel,irrelevance", "BENCH_LIMIT=3", "preflight=0")
        done = shipped.doit("run", "model=at-talks", *words)
    assert done.status == 0, done.text
    found = {path.parent.name: document(path / "result.json") for path in shipped.artifacts(model="at-talks")}
    assert {task: result["overall"] for task, result in found.items()} == {"parallel": 0, "irrelevance": 1}
    assert [item["reason"] for item in found["parallel"]["raw_metrics"]["items"]] == [
        "parallel_function_checker_no_order:wrong_count"
    ] * 3


def test_an_edited_bridge_runs_exactly_its_tasks_again(shipped: Project) -> None:
    words = ("bench=bfcl", f"BENCH_LIMIT={LIMIT}")
    assert shipped.due(*words, model="demo") == []
    with (shipped.root / "benchmarks" / "bfcl" / "code" / "upstream.py").open("a") as file:
        file.write("# edited\n")
    assert shipped.due(*words, model="demo") == [f"bfcl/{task}@demo" for task in ENTRIES]


def test_data_that_are_missing_or_others_end_the_task_with_one_line(shipped: Project) -> None:
    with (shipped.root / "benchmarks" / "bfcl" / "environments" / "bfcl" / "Dockerfile").open("a") as file:
        file.write(f"RUN cd {DATA} && rm BFCL_v4_parallel.json possible_answer/BFCL_v4_live_simple.json")
        file.write(" && sed -i 1d BFCL_v4_multiple.json && echo '{' > BFCL_v4_simple_python.json\n")
    tasks = "parallel,live-simple,multiple,simple-python"
    done = shipped.doit("run", "model=demo", "bench=bfcl", f"tasks={tasks}", "BENCH_LIMIT=1")
    assert done.status == 1, done.text
    said = {
        "parallel": "bfcl: bfcl_eval's parallel cannot be read: FileNotFoundError: ",
        "live-simple": "bfcl: bfcl_eval's live_simple cannot be read: FileNotFoundError: ",
        "multiple": "bfcl: bfcl_eval's multiple has 199 entries, expected 200",
        "simple-python": "bfcl: bfcl_eval's simple_python cannot be read: JSONDecodeError: ",
    }
    for task, words in said.items():
        failed = last_failure(shipped, "bfcl", task, "demo")
        assert document(failed / "job.json")["reason"] == "exit_code"
        (line,) = (failed / "logs" / "stderr.log").read_text().splitlines()
        assert line.startswith(words)
