"""What `gate` demands, and how it says no."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from gates import told
from shelf import Shelf

from benchrouter.scores.gate.judge import judge
from benchrouter.scores.gate.policy import load_policy
from benchrouter.spec.aggregation import Aggregation
from benchrouter.spec.problems import SpecError
from benchrouter.store import runs
from benchrouter.store.jobid import JobId
from benchrouter.store.states import JobState, Reason, RunState
from benchrouter.store.workspace import Workspace


def test_a_minimum(shelf: Shelf, policy: Path) -> None:
    shelf.add("m", "x", [1, 1, 1, 0])
    shelf.settle()
    assert told(shelf, policy, "benchmark: b, minimum: 0.75") == ["pass  b @ m: 0.7500, coverage 1/1"]
    assert told(shelf, policy, "benchmark: b, minimum: 0.8") == ["FAIL  b @ m: 0.7500 is below the minimum 0.8"]


def test_a_minimum_is_met_but_for_rounding(shelf: Shelf, policy: Path) -> None:
    """Three tenths: 0.1 + 0.2 is more, and (0.1 + 0.2 + 0.6) / 3 less, in floating point."""
    for task, score in (("x", 0.1), ("y", 0.2), ("z", 0.6)):
        shelf.add("m", task, overall=score)
    shelf.settle()
    assert told(shelf, policy, "benchmark: b, minimum: 0.3")[0].startswith("pass")


def test_the_declared_aggregation_counts(shelf: Shelf, policy: Path) -> None:
    shelf.add("m", "x", overall=0.9)
    shelf.add("m", "y", overall=0.3)
    shelf.settle(rule=Aggregation("min"))
    assert told(shelf, policy, "benchmark: b, minimum: 0.5") == ["FAIL  b @ m: 0.3000 is below the minimum 0.5"]
    assert told(shelf, policy, "benchmark: b, tasks: [x], minimum: 0.5")[0].startswith("pass")


def test_coverage_is_whole_unless_said_otherwise(shelf: Shelf, policy: Path) -> None:
    """An outage must not pass because what is left scores well."""
    shelf.add("m", "x", [1, 1])
    shelf.add("m", "y", reason=Reason.ENDPOINT)
    shelf.settle()
    assert told(shelf, policy, "benchmark: b, minimum: 0.5") == ["FAIL  b @ m: coverage 1/2 is below 100%"]
    assert told(shelf, policy, "benchmark: b, minimum: 0.5, coverage: 0.5") == ["pass  b @ m: 1.0000, coverage 1/2"]


def test_nothing_completed_fails(shelf: Shelf, policy: Path) -> None:
    shelf.add("m", "y", reason=Reason.ENDPOINT)
    shelf.settle()
    assert told(shelf, policy, "benchmark: b, coverage: 0") == ["FAIL  b @ m: there is no score"]


def test_all_models_are_judged_or_those_that_are_named(shelf: Shelf, policy: Path) -> None:
    for model, scores in (("a", [1, 1]), ("c", [0, 1])):
        shelf.add(model, "x", scores)
    shelf.settle()
    gate = "benchmark: b, minimum: 0.9"
    assert [line[:4] for line in told(shelf, policy, gate)] == ["pass", "FAIL"]
    assert [line[:4] for line in told(shelf, policy, gate + ", models: a")] == ["pass"]
    assert told(shelf, policy, gate + ", models: [aa]") == ["FAIL  b @ aa: no results (did you mean `a`?)"]


def test_what_is_not_there_does_not_pass(shelf: Shelf, policy: Path) -> None:
    shelf.add("m", "x", [1, 1], variables={"BENCH_LIMIT": "2"})
    shelf.settle(headline=False)
    assert told(shelf, policy, "benchmark: bb") == ["FAIL  bb: no results of benchmark `bb` (did you mean `b`?)"]
    assert told(shelf, policy, "benchmark: b") == [
        "FAIL  b: no results with no variable; there are some with BENCH_LIMIT=2"
    ]
    assert told(shelf, policy, "benchmark: b, variables: {BENCH_LIMIT: 2}")[0].startswith("pass")
    gate = "benchmark: b, variables: {BENCH_LIMIT: 2}, tasks: [xx]"
    line = "FAIL  b/xx @ m with BENCH_LIMIT=2: no results of task `xx` (did you mean `x`?)"
    assert told(shelf, policy, gate) == [line]  # two gates on one benchmark are told apart


def test_a_drop_against_a_file(shelf: Shelf, policy: Path, tmp_path: Path) -> None:
    shelf.add("m", "x", [1, 1, 1, 1])
    shelf.settle()
    shutil.copy(shelf.root / "b" / "m" / "aggregate.json", tmp_path / "before.json")
    shelf.add("m", "x", [1, 1, 1, 0], revision="2")
    shelf.settle()
    gate = "benchmark: b, baseline: before.json, maximum_drop: "
    assert told(shelf, policy, gate + "0.25") == ["pass  b @ m: 0.7500, coverage 1/1, baseline 1.0000"]
    assert told(shelf, policy, gate + "0.2") == [
        "FAIL  b @ m: 0.7500 is 0.2500 below the 1.0000 of baseline before.json, at most 0.2 is allowed"
    ]


def test_a_drop_that_may_be_chance_passes_where_a_level_is_given(
    shelf: Shelf, policy: Path, tmp_path: Path
) -> None:
    """The maximum drop was a plain difference: one item of ten failed a build. p by McNemar: 1 of one, 1/32 of six."""
    before = shelf.add("m", "x", [1] * 10)
    shelf.settle()
    shutil.copy(shelf.root / "b" / "m" / "aggregate.json", tmp_path / "before.json")
    gate = "benchmark: b, baseline: before.json, maximum_drop: 0.05, significance: 0.05"
    shelf.add("m", "x", [1] * 9 + [0], revision="2")
    shelf.settle()
    assert told(shelf, policy, gate) == ["pass  b @ m: 0.9000, coverage 1/1, baseline 1.0000 (p 1.0000)"]
    shelf.add("m", "x", [1] * 4 + [0] * 6, revision="3")
    shelf.settle()
    below = "FAIL  b @ m: 0.4000 is 0.6000 below the 1.0000 of baseline before.json, at most 0.05 is allowed"
    assert told(shelf, policy, gate) == [f"{below} (p 0.0312)"]
    assert told(shelf, policy, gate.replace("drop: 0.05", "drop: 0.6"))[0].startswith("pass")
    assert judge(load_policy(policy), policy, shelf.root)[0].to_json()["p"] == 0.03125
    shutil.rmtree(before)
    assert told(shelf, policy, gate) == [f"{below}; not tested: nothing of the baseline is left to pair"]


def test_a_gate_passed_against_a_baseline_of_other_content(shelf: Shelf, policy: Path, tmp_path: Path) -> None:
    """A hundred other items, an edited script: `compare` says that this is not comparable, and so does a gate now."""
    shelf.add("m", "x", [1] * 10, variables={"BENCH_LIMIT": "1"})
    shelf.settle()
    shutil.copy(shelf.root / "b" / "m" / "aggregate.json", tmp_path / "limited.json")
    before = shelf.add("m", "x", [1] * 10, seed=3)
    shelf.settle()
    shutil.copy(shelf.root / "b" / "m" / "aggregate.json", tmp_path / "before.json")
    for repeat in range(2):
        shelf.add("m", "x", [1] * 100, files={"run.py": "edited"}, repeat=repeat)
    shelf.settle()
    gate = "benchmark: b, baseline: before.json, maximum_drop: 1"
    odd = [f"not comparable with baseline before.json: {text}" for text in
           ("repeats: 2, against 1", "file run.py differs", "seed: none, against 3")]  # fmt: skip
    assert told(shelf, policy, gate) == [f"FAIL  b @ m: {text}" for text in odd]
    (line,) = told(shelf, policy, gate + ", other_content: true")
    assert line == "pass  b @ m: 1.0000, coverage 2/2, baseline 1.0000"
    (judged,) = judge(load_policy(policy), policy, shelf.root)
    assert judged.warnings == tuple(f"b @ m: {text}" for text in odd)
    (line,) = told(shelf, policy, gate.replace("before", "limited") + ", other_content: true")
    assert line.endswith("limited.json: variables: BENCH_LIMIT=1 there, none here")
    shutil.rmtree(before)
    same_repeats = "repeats: 2, against 1"
    assert told(shelf, policy, gate) == [
        f"FAIL  b @ m: not comparable with baseline before.json: {text}"
        for text in (same_repeats, "items: 100, against 10 (in task x)")
    ]


def test_a_baseline_whose_content_is_not_known_is_doubted(shelf: Shelf, policy: Path, tmp_path: Path) -> None:
    """In another workspace its artifacts are not there; equal keys say enough, others nothing."""
    gone = shelf.add("m", "x", [1] * 10)
    shelf.settle()
    shutil.copy(shelf.root / "b" / "m" / "aggregate.json", tmp_path / "before.json")
    shutil.rmtree(gone)
    gate = "benchmark: b, baseline: before.json, maximum_drop: 0"
    assert told(shelf, policy, gate)[0].startswith("pass")
    assert "baseline" not in "".join(judge(load_policy(policy), policy, shelf.root)[0].warnings)
    shelf.add("m", "x", [1] * 10, files={"run.py": "edited"})
    shelf.settle()
    assert told(shelf, policy, gate)[0].startswith("pass")
    (doubt,) = judge(load_policy(policy), policy, shelf.root)[0].warnings
    assert doubt.startswith("b @ m: whether baseline before.json was asked the same cannot be told of task x: ")


def test_a_drop_against_a_run(shelf: Shelf, policy: Path, tmp_path: Path) -> None:
    ws = Workspace(tmp_path).ensure()
    for id, overall in (("20260101t000000-aa", 0.9), ("20260102t000000-bb", 0.4)):
        job = runs.RunJob(JobId("b", "x", "m"), "k", JobState.COMPLETED, overall=overall)
        runs.save(ws, runs.RunRecord(id, (), {}, ("m",), ("b",), 1.0, 2.0, RunState.COMPLETED, (job,)))
    shelf.add("m", "x", [1, 0])
    shelf.settle()
    gate = "benchmark: b, maximum_drop: 0.1, baseline: "
    assert told(shelf, policy, gate + "20260102")[0].startswith("pass")
    assert told(shelf, policy, gate + "bb")[0].startswith("pass")  # the part after the dash, as `eval` takes it
    (line,) = told(shelf, policy, gate + "20260101t000000-aa")
    assert "0.4000 below the 0.9000 of baseline 20260101t000000-aa" in line
    for wrong, message in (
        ("2026", "begins the ids of 2 runs"),
        ("20260101t000000-ab", "no run `20260101t000000-ab` in"),
        ("no.json", "no.json: the file does not exist"),
        ("gate.yaml/", "is no aggregate file"),
    ):
        with pytest.raises(SpecError) as error:
            told(shelf, policy, gate + wrong)
        assert f"{policy}:2: `gates[0].baseline`" in str(error.value) and message in str(error.value)


def test_a_baseline_of_something_else_is_not_compared(shelf: Shelf, policy: Path, tmp_path: Path) -> None:
    shelf.add("m", "x", [1, 1])
    shelf.add("m", "y", [0, 0])
    shelf.settle(rule=Aggregation("min"))
    shutil.copy(shelf.root / "b" / "m" / "aggregate.json", tmp_path / "before.json")
    shelf.add("m", "x", [1, 0])
    shelf.settle()
    lines = told(shelf, policy, "benchmark: b, baseline: before.json, maximum_drop: 0")
    assert lines == [
        "FAIL  b @ m: not comparable with baseline before.json: aggregate: min there, mean here",
        "FAIL  b @ m: not comparable with baseline before.json: only it has a score of task y",
    ]


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("gates:\n- benchmark: b\n  minimun: 0.9\n", [":3: unknown key `gates[0].minimun` (did you mean `minimum`?)"]),
        ("gate:\n- benchmark: b\n", [":1: unknown key `gate` (did you mean `gates`?)", "`gates` is missing"]),
        ("gates: []\n", [":1: `gates`: found an empty list, expected a list of at least one gate"]),
        ("gates:\n- minimum: 80\n", [":2: `gates[0].benchmark` is missing", "found 80, expected a number from 0 to 1"]),
        ("gates:\n- benchmark: b\n  minimum: '0.8'\n", [":3: `gates[0].minimum`: found '0.8', expected a number"]),
        ("gates:\n- benchmark: b\n  maximum_drop: 0.1\n",
         [":3: `gates[0].maximum_drop` is there without a `baseline`; expected both or none"]),
        ("gates:\n- benchmark: b\n  baseline: x\n  maximum_drpo: 0\n", [":4: unknown key `gates[0].maximum_drpo`"]),
        ("gates:\n- benchmark: b\n  baseline: x\n", [":3: `gates[0].baseline` is there without a `maximum_drop`"]),
        ("gates:\n- benchmark: b\n  significance: 0.05\n",
         [":3: `gates[0].significance` is there without a `maximum_drop`"]),
        ("gates:\n- benchmark: b\n  baseline: x\n  maximum_drop: 0\n  significance: 5\n",
         [":5: `gates[0].significance`: found 5, expected a number between 0 and 1, such as 0.05"]),
        ("gates:\n- benchmark: b\n  benchmark: c\n", [":3: duplicate key `benchmark`"]),
        ("- benchmark: b\n", ["found a list, expected a mapping"]),
        ("gates: [", ["not valid YAML"]),
    ],
)  # fmt: skip
def test_faults_of_a_policy_have_a_line(policy: Path, text: str, messages: list[str]) -> None:
    policy.write_text(text)
    with pytest.raises(SpecError) as error:
        load_policy(policy)
    assert len(error.value.problems) == len(messages)
    for message in messages:
        assert message in str(error.value)


def test_a_policy_that_is_not_there(policy: Path) -> None:
    with pytest.raises(SpecError, match="the file does not exist"):
        load_policy(policy)
