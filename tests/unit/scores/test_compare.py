"""What `compare` says of a results directory."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from shelf import Shelf

from benchrouter.scores.boards import boards
from benchrouter.scores.comparison.compared import Comparison, compare_models
from benchrouter.scores.comparison.json_form import to_json
from benchrouter.scores.comparison.text import flip_lines, lines_of
from benchrouter.scores.limits import limits_of_job
from benchrouter.scores.problems import ScoresError
from benchrouter.spec.aggregation import Aggregation
from benchrouter.store.states import Reason


def text(found: Comparison, **options: Any) -> str:
    return "\n".join(lines_of(found, **options))


def test_a_clear_difference_is_marked(shelf: Shelf) -> None:
    shelf.add("good", "x", [1] * 18 + [0] * 2)
    shelf.add("poor", "x", [1] * 6 + [0] * 14)
    shelf.settle()
    found = compare_models(shelf.root, "b", detail=True)
    assert [one.model for one in found.contenders] == ["good", "poor"]
    assert (found.best, found.best_of) == ("good", {"x": "good"})
    (pair,) = found.pairs
    assert (pair.tested.method, pair.tested.better, pair.tested.worse, pair.tested.same) == ("mcnemar-exact", 12, 0, 8)
    assert pair.adjusted == pytest.approx(2 / 4096)
    shown = text(found, detail=True)
    assert "good    0.9000  0.6990 – 0.9721  1/1       20/20  best" in shown
    assert "good against poor: +0.6000" in shown and "p 0.0005 · 12 better, 0 worse, 8 same" in shown
    assert "x     0.9000 (0.70 – 0.97)*  0.3000 (0.15 – 0.52)" in shown


def test_a_difference_of_chance_is_not_marked(shelf: Shelf) -> None:
    """Five flips of twenty all one way look convincing, and are not: p is 2/32."""
    shelf.add("a", "x", [1] * 15 + [0] * 5)
    shelf.add("b", "x", [1] * 10 + [0] * 10)
    shelf.settle()
    found = compare_models(shelf.root, "b", detail=True)
    assert (found.best, found.best_of) == (None, {})
    assert "no model is best by more than chance" in text(found)
    assert "*" not in text(found, detail=True)


def test_many_models_make_a_mark_harder(shelf: Shelf) -> None:
    """Six flips are p 2/64 for two models, but not among four: Holm."""
    for model in ("a", "b"):
        shelf.add(model, "x", [1] * (16 if model == "a" else 10) + [0] * (4 if model == "a" else 10))
    shelf.settle()
    assert compare_models(shelf.root, "b").best == "a"
    for model in ("c", "d"):
        shelf.add(model, "x", [1] * 10 + [0] * 10)
    shelf.settle()
    found = compare_models(shelf.root, "b")
    assert found.best is None
    assert max(pair.adjusted or 0 for pair in found.pairs if pair.first == "a") == pytest.approx(6 * 2 / 64)
    assert "(Holm, 6 pairs)" in text(found)
    assert compare_models(shelf.root, "b", ["a", "d"]).best == "a"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"files": {"run.py": "bb"}}, "file run.py differs"),
        ({"files": {"run.py": "aa", "more.py": "cc"}}, "file more.py is there for one of them only"),
        ({"task": {"command": "python3 run.py"}}, "`command` in task.yaml: python3 run.py, against python run.py"),
        ({"image": {"files": {"ask": "1"}, "key": "k"}}, "file ask of the image is there for one of them only"),
        ({"contract": True}, "version of the contract: true, against 1"),
        ({"contract": "1"}, 'version of the contract: "1", against 1'),
        ({"contract": 2}, "version of the contract: 2, against 1"),
        ({"seed": 7}, "seed: 7, against none"),
        ({"templates": {"run.sh.j2": "t"}}, "template run.sh.j2: t, against none"),
    ],
)  # fmt: skip
def test_what_is_not_comparable_says_why(shelf: Shelf, change: dict[str, Any], reason: str) -> None:
    for model in ("a", "b"):
        shelf.add(model, "x", [1, 1, 0])
    shelf.add("c", "x", [1, 1, 1], **change)
    shelf.settle()
    found = compare_models(shelf.root, "b")
    assert found.apart == {"c": (reason,)}
    assert [(pair.first, pair.second) for pair in found.pairs] == [("a", "b")]
    assert f"  c is not comparable with a:\n    {reason}" in text(found)


def test_other_tasks_repeats_and_rules_are_not_comparable(shelf: Shelf) -> None:
    for model in ("a", "b", "fewer", "more"):
        shelf.add(model, "x", [1, 0])
        if model != "fewer":
            shelf.add(model, "y", [1, 0])
    shelf.add("more", "y", [1, 1], repeat=1)
    shelf.settle()
    shelf.add("lowest", "x", [1, 0])
    shelf.add("lowest", "y", [1, 0])
    shelf.settle(rule=Aggregation("min"))
    assert compare_models(shelf.root, "b").apart == {
        "fewer": ("only a was asked task y",),
        "more": ("repeats: 2, against 1 (in task y)",),
        "lowest": ("aggregate: min, against mean",),
    }


def test_a_subset_of_tasks_is_comparable_where_the_whole_is_not(shelf: Shelf) -> None:
    for model in ("a", "fewer"):
        shelf.add(model, "x", [1, 0])
    shelf.add("a", "y", [1, 0])
    shelf.settle()
    found = compare_models(shelf.root, "b", tasks=["x"])
    assert not found.apart
    assert str(found.contenders[0].scored.coverage) == "1/1"


def test_variables_that_most_models_share_are_compared(shelf: Shelf) -> None:
    for model in ("a", "b", "c"):
        shelf.add(model, "x", [1, 0], variables={"BENCH_LIMIT": "2"})
    shelf.settle(name="limit", headline=False)
    for model in ("a", "d"):
        shelf.add(model, "x", [1, 0, 1, 1])
    shelf.settle(name="whole")
    found = compare_models(shelf.root, "b")
    assert [one.model for one in found.comparable] == ["a", "b", "c"]
    assert found.apart == {"d": ("variable BENCH_LIMIT: none, against 2",)}
    assert text(found).startswith("b · BENCH_LIMIT=2\n")
    whole = compare_models(shelf.root, "b", variables={})
    assert [one.model for one in whole.contenders] == ["a", "d"] and not whole.apart


def test_items_that_were_not_judged_in_both_are_left_out_and_counted(shelf: Shelf) -> None:
    shelf.add("a", "x", {"p": 1, "q": None, "r": 1, "s": 0})
    shelf.add("b", "x", {"p": 0, "q": 1, "r": 1, "s": None})
    shelf.settle()
    (pair,) = compare_models(shelf.root, "b").pairs
    assert (pair.tested.pairs, pair.left_out) == (2, 2)
    assert "2 not judged in both" in text(compare_models(shelf.root, "b"))


def test_a_failed_task_is_left_out_of_the_test_and_shown(shelf: Shelf) -> None:
    for model in ("a", "b"):
        shelf.add(model, "x", [1, 0, 1])
    shelf.add("a", "y", [1, 1])
    shelf.add("b", "y", reason=Reason.TIMEOUT)
    shelf.settle()
    found = compare_models(shelf.root, "b")
    (pair,) = found.pairs
    assert (pair.tested.pairs, pair.left_out, found.apart) == (3, 2, {})
    shown = text(found, detail=True)
    assert "timeout" in shown and "1/2" in shown and "failures as 0" in shown


def test_flips_name_items_and_scores(shelf: Shelf) -> None:
    shelf.add("a", "x", {"p": 1, "q": 0, "r": 1})
    shelf.add("b", "x", {"p": 0, "q": 0, "r": None})
    shelf.add("c", "x", {"p": 1, "q": 0, "r": 0.25})
    shelf.settle()
    lines = list(flip_lines(compare_models(shelf.root, "b", ["a", "b", "c"], flips=True)))
    assert [line.split() for line in lines[1:]] == [["x", "p", "1", "1", "0"], ["x", "r", "1", "0.25", "-"]]
    assert list(flip_lines(compare_models(shelf.root, "b", ["a"], flips=True))) == ["  nothing to compare"]


def test_repeats_are_one_observation_each_and_tell_their_spread(shelf: Shelf) -> None:
    for repeat, scores in enumerate(([1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 0])):
        shelf.add("a", "x", scores, repeat=repeat, seed=repeat)
        shelf.add("b", "x", [0, 0, 0, 0], repeat=repeat, seed=repeat)
    shelf.settle()
    found = compare_models(shelf.root, "b")
    one = found.contenders[0]
    assert one.observations["x"] == pytest.approx({"i00000": 1.0, "i00001": 2 / 3, "i00002": 1 / 3, "i00003": 0.0})
    assert (one.by_repeat.n, one.by_repeat.mean, one.by_repeat.deviation) == (3, 0.5, 0.25)
    assert one.passes is not None
    # of two tries: items right 3, 2, 1, 0 times of 3
    assert one.passes.at == pytest.approx((0.5, (1 + 1 + 2 / 3 + 0) / 4, 0.75))
    assert one.passes.all == pytest.approx((0.5, (1 + 1 / 3 + 0 + 0) / 4, 0.25))
    assert found.pairs[0].tested.pairs == 4
    assert "3 ± 0.2500" in text(found) and "@3 0.7500" in text(found) and "^3 0.2500" in text(found)


def test_tasks_without_items_are_pairs_themselves(shelf: Shelf) -> None:
    for n in range(8):
        shelf.add("a", f"t{n}", overall=1.0)
        shelf.add("b", f"t{n}", overall=0.0)
    shelf.settle()
    found = compare_models(shelf.root, "b")
    assert found.pairs[0].tested.p == pytest.approx(2 / 256)
    assert found.best == "a"
    interval = found.contenders[0].interval
    assert interval is not None and interval.low == pytest.approx(0.6756, abs=1e-4)


def test_one_model_with_items_and_one_without_are_paired_by_task(shelf: Shelf) -> None:
    shelf.add("a", "x", [1, 0])
    shelf.add("b", "x", overall=0.25)
    shelf.settle()
    (pair,) = compare_models(shelf.root, "b").pairs
    assert (pair.tested.pairs, pair.tested.difference) == (1, 0.25)


def test_the_artifact_is_right_where_the_aggregate_is_old(shelf: Shelf) -> None:
    shelf.add("a", "x", [1, 1])
    shelf.settle()
    shelf.add("a", "x", [0, 1])  # the same key, run again
    found = compare_models(shelf.root, "b")
    assert found.contenders[0].scored.overall == 0.5


def test_a_run_of_one_task_does_not_hide_the_run_of_all(shelf: Shelf) -> None:
    for task in ("x", "y"):
        shelf.add("a", task, [1, 0])
    shelf.settle(name="all")
    shelf.add("a", "x", [1, 0])
    shelf.settle(name="part", headline=False)
    assert compare_models(shelf.root, "b").contenders[0].tasks == ("x", "y")


def test_names_that_are_not_there(shelf: Shelf, tmp_path: Path) -> None:
    shelf.add("demo", "capitals", [1, 0])
    shelf.settle()
    for call, message in (
        (lambda: compare_models(shelf.root, "bb"), "no results of benchmark `bb` (did you mean `b`?)"),
        (lambda: compare_models(shelf.root, "b", ["dmeo"]), "b: no results of model `dmeo` (did you mean `demo`?)"),
        (lambda: compare_models(shelf.root, "b", ["zzz"]), "there are results of demo"),
        (lambda: compare_models(shelf.root, "b", tasks=["capitls"]), "task `capitls` (did you mean `capitals`?)"),
        (lambda: compare_models(shelf.root, "b", variables={"N": "1"}), "no results with N=1; there are"),
        (lambda: compare_models(tmp_path / "no", "b"), "no results yet"),
    ):
        with pytest.raises(ScoresError) as error:
            call()
        assert message in str(error.value)


def test_lost_artifacts_leave_the_score(shelf: Shelf) -> None:
    shutil.rmtree(shelf.add("a", "x", [1, 0]))
    shelf.add("b", "x", [1, 1])
    shelf.settle()
    found = compare_models(shelf.root, "b")
    assert {one.model: one.scored.overall for one in found.contenders} == {"a": 0.5, "b": 1.0}
    to_json(found)


def test_ten_thousand_items_take_seconds(shelf: Shelf) -> None:
    generator = random.Random(1)
    for model in ("a", "b"):
        for task in range(10):
            shelf.add(model, f"t{task}", [int(generator.random() < 0.7) for _ in range(1000)])
    shelf.settle()
    begin = time.process_time()
    found = compare_models(shelf.root, "b", detail=True, flips=True)
    text(found, detail=True)
    to_json(found, flips=True)
    assert time.process_time() - begin < 6  # of which two are meant


def test_json_is_whole_and_the_same_each_time(shelf: Shelf) -> None:
    generator = random.Random(1)
    for model in ("a", "b"):
        shelf.add(model, "x", [round(generator.random(), 3) for _ in range(40)])
        shelf.add(model, "y", [round(generator.random(), 3) for _ in range(15)])
    shelf.settle()
    one, two = (json.dumps(to_json(compare_models(shelf.root, "b")), allow_nan=False) for _ in range(2))
    assert one == two
    assert json.loads(one)["pairs"][0]["method"] == "sign-flips"


def test_a_change_taken_back_is_the_newest_ask_again(shelf: Shelf) -> None:
    """Its aggregate and jobs are older than those of the change; a run that asks for it marks it."""
    for name, files, scores in (("1", {"run.py": "aa"}, [1, 0]), ("2", {"run.py": "bb"}, [0, 0])):
        shelf.add("a", "x", scores, files=files, variables={"N": "1"})
        shelf.settle(name=name, headline=False)
    directory = shelf.root / "b" / "a" / "aggregates"
    now = time.time()
    for first, second, overall in ((now - 60, now - 30, 0.0), (now, now - 30, 0.5)):
        os.utime(directory / "1.json", (first, first))
        os.utime(directory / "2.json", (second, second))
        assert compare_models(shelf.root, "b").contenders[0].scored.overall == overall


def test_in_a_copy_the_times_of_jobs_count(shelf: Shelf) -> None:
    """A copy may give all files the time of now, in any order."""
    for name, ended, scores in (("1", 200.0, [1, 0]), ("2", 100.0, [0, 0])):
        path = shelf.add("a", "x", scores, files={"run.py": name}, variables={"N": "1"}) / "provenance.json"
        path.write_text(json.dumps({"container": {"finished_at": ended}}))
        shelf.settle(name=name, headline=False)
    assert compare_models(shelf.root, "b").contenders[0].scored.overall == 0.5


def test_items_that_do_not_make_the_score_are_not_taken_for_it(shelf: Shelf) -> None:
    """A task may score its items as a whole; its score is then one observation, and the items only flip."""
    shelf.add("a", "x", [1] * 20, overall=0.3)
    shelf.add("b", "x", [0] * 20, overall=0.2)
    shelf.settle()
    found = compare_models(shelf.root, "b", flips=True)
    (pair,) = found.pairs
    assert (pair.tested.pairs, pair.tested.difference, found.best) == (1, pytest.approx(0.1), None)
    assert [one.interval for one in found.contenders] == [None, None]
    assert len(found.flips) == 20


def test_a_score_that_is_the_mean_but_for_rounding_is_that_of_its_items(shelf: Shelf) -> None:
    shelf.add("a", "x", [1, 1, 0], overall=0.667)
    shelf.settle()
    assert len(compare_models(shelf.root, "b").contenders[0].observations["x"]) == 3


def test_what_is_best_in_a_task_is_not_denied_where_nobody_looked(shelf: Shelf) -> None:
    """JSON said false without --detail, and true with it."""
    shelf.add("good", "x", [1] * 18 + [0] * 2)
    shelf.add("poor", "x", [0] * 20)
    shelf.settle()
    for detail, said in ((False, [None, None]), (True, [True, False])):
        told = to_json(compare_models(shelf.root, "b", detail=detail))
        assert [model["tasks"][0]["best"] for model in told["models"]] == said


@pytest.mark.parametrize("rule", ["mean", "min", "items"])
def test_one_observation_has_no_interval_anywhere(shelf: Shelf, rule: str) -> None:
    shelf.add("item", "x", [1])
    shelf.add("item", "z", reason=Reason.TIMEOUT)
    shelf.add("task", "x", overall=0.5)
    shelf.settle(rule=Aggregation(rule))
    found = compare_models(shelf.root, "b", detail=True)
    assert [(one.interval, one.interval_of("x")) for one in found.contenders] == [(None, None)] * 2
    assert {limits_of_job(job) for one in found.contenders for job in one.jobs} == {None}
    assert "–" not in text(found, detail=True)
    assert [standing.interval for board in boards(shelf.root) for standing in board.standings] == [None, None]


def test_holms_label_counts_the_pairs_that_were_tested(shelf: Shelf) -> None:
    """A model that shares no judged item with others is in no test."""
    shelf.add("a", "x", {"p": 1, "q": 1, "r": None})
    shelf.add("b", "x", {"p": 0, "q": 1, "r": None})
    shelf.add("c", "x", {"p": None, "q": None, "r": 1})
    shelf.settle()
    found = compare_models(shelf.root, "b", detail=True)
    assert (len(found.pairs), found.family) == (3, 1) and "Holm" not in text(found, detail=True)
    shelf.add("d", "x", {"p": 0, "q": 0, "r": None})
    shelf.settle()
    assert "(Holm, 3 pairs)" in text(compare_models(shelf.root, "b", detail=True), detail=True)


def test_flips_are_sorted_by_id_and_wide_names_keep_the_columns(shelf: Shelf) -> None:
    shelf.add("模型🙂", "x", {"i10": 1, "i9": 1, "東京": 1})
    shelf.add("plain", "x", {"東京": 0, "i9": 0, "i10": 0})
    shelf.settle()
    found = compare_models(shelf.root, "b", flips=True)
    assert [flip.item for flip in found.flips] == ["i9", "i10", "東京"]
    assert len({cell_len(line) for line in flip_lines(found)}) == 1


def test_a_score_that_contradicts_its_items_is_said_and_not_tested_by_them(shelf: Shelf) -> None:
    shelf.add("odd", "x", [1] * 20, overall=0.5)
    shelf.add("even", "x", [0] * 20)
    shelf.settle()
    found = compare_models(shelf.root, "b", detail=True)
    assert (found.best, found.best_of, found.pairs[0].tested.pairs) == (None, {}, 1)
    said = "the score 0.5000 is not the mean of its items, 1.0000; the task counts as one observation"
    assert to_json(found)["warnings"] == [f"b/x @ odd: {said}"]
