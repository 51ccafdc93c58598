from __future__ import annotations

from pathlib import Path

import pytest

from benchrouter.spec.aggregation import Aggregation
from benchrouter.spec.benchmark import Benchmark, load_benchmark
from benchrouter.spec.problems import SpecError

HEAD = "name: b\ntasks: [{name: easy}, {name: hard}]\n"


def load(root: Path, text: str) -> Benchmark:
    for task in ("easy", "hard"):
        (root / task).mkdir(exist_ok=True)
        (root / task / "task.yaml").touch()
    (root / "benchmark.yaml").write_text(HEAD + text)
    return load_benchmark(root)[0]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", Aggregation()),
        ("aggregate:\n", Aggregation()),
        ("aggregate: min\n", Aggregation("min")),
        ("aggregate: items\n", Aggregation("items")),
        ("aggregate: {weighted: {easy: 1, hard: 0.5}}\n", Aggregation("weighted", {"easy": 1, "hard": 0.5})),
        ("aggregate:\n  weighted:\n    easy: 0\n    hard: 3\n", Aggregation("weighted", {"easy": 0, "hard": 3})),
    ],
)
def test_rules_are_read_and_kept(tmp_path: Path, text: str, rule: Aggregation) -> None:
    benchmark = load(tmp_path, text)
    assert benchmark.aggregate == rule
    assert Benchmark.from_json(benchmark.to_json(), tmp_path) == benchmark
    assert Aggregation.from_json(rule.to_json()) == rule


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("aggregate: maen", ["3: `aggregate`: found 'maen', expected `mean`, `items`, `min`, `max`, or `weighted:` "
                             "with a weight for each task (did you mean `mean`?)"]),
        ("aggregate: weighted", ["3: `aggregate`: found 'weighted', expected"]),
        ("aggregate: [mean]", ["3: `aggregate`: found a list, expected"]),
        ("aggregate: {wieghted: {easy: 1, hard: 1}}", ["(did you mean `weighted`?)"]),
        ("aggregate: {weighted: {}}", ["expected a weight for each task below `weighted:`"]),
        ("aggregate:\n  weighted:\n    easy: 1\n    hrad: 2",
         ["6: `aggregate.weighted.hrad`: no task of that name (did you mean `hard`?)",
          "4: `aggregate.weighted`: task `hard` has no weight; 0 leaves it out of the score"]),
        ("aggregate:\n  weighted:\n    easy: -1\n    hard: much",
         ["5: `aggregate.weighted.easy`: found -1, expected a number of 0 or more",
          "6: `aggregate.weighted.hard`: found much, expected"]),
        ("aggregate:\n  weighted: {easy: 0, hard: 0}", ["4: `aggregate.weighted`: all weights are 0"]),
        ("aggregate:\n  weighted: {easy: .inf, hard: .nan}", ["found .inf", "found .nan"]),
        ("aggregate:\n  weighted: {easy: yes, hard: 1}", ["found yes"]),
    ],
)  # fmt: skip
def test_faults_have_a_line(tmp_path: Path, text: str, messages: list[str]) -> None:
    with pytest.raises(SpecError) as error:
        load(tmp_path, text)
    assert len(error.value.problems) == len(messages)
    for message in messages:
        assert message in str(error.value)


def test_none_is_missed_where_tasks_are_faulty(tmp_path: Path) -> None:
    text = "name: b\ntasks:\n- name: ../x\n- name: t\naggregate: {weighted: {t: 1}}\n"
    (tmp_path / "benchmark.yaml").write_text(text)
    with pytest.raises(SpecError) as error:
        load_benchmark(tmp_path)
    assert "has no weight" not in str(error.value)
