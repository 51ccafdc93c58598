"""What other tools read: the same numbers in each form, and nothing hostile in any."""

from __future__ import annotations

import csv
import io
import json
import os
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from shelf import Shelf

from benchrouter.scores.boards import boards
from benchrouter.scores.export.forms import to_csv, to_jsonl, to_junit, to_markdown
from benchrouter.scores.export.rows import COLUMNS, Reward, exported, rewards, rows_of
from benchrouter.scores.scope import Scope
from benchrouter.store.states import JobState, Reason

ODD = "=1+1|<b>`x`\n\x00\x1b&\u2028"


@pytest.fixture
def full(shelf: Shelf) -> Shelf:
    """Two models; one has items, a failure of its own and one of the infrastructure."""
    shelf.add("m", "x", {"p": 1, "q": 0.5, "r": None})
    shelf.add("m", "slow", reason=Reason.TIMEOUT)
    shelf.add("m", "gone", reason=Reason.ENDPOINT, repeat=1)
    shelf.settle()
    shelf.add("n=1/2", "x", overall=0.25, benchmark="c")
    shelf.settle()
    return shelf


def test_rewards_say_what_each_item_earned_and_why_not(full: Shelf) -> None:
    assert [replace(reward, key="") for reward in rewards(exported(full.root))] == [
        Reward("b", "gone", None, "m", 1, None, "FAILED"),
        Reward("b", "slow", None, "m", 0, None, "FAILED"),
        Reward("b", "x", "p", "m", 0, 1.0, "COMPLETED"),
        Reward("b", "x", "q", "m", 0, 0.5, "COMPLETED"),
        Reward("b", "x", "r", "m", 0, None, "FAILED"),
        Reward("c", "x", None, "n=1/2", 0, 0.25, "COMPLETED"),
    ]


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_row_has_the_same_columns_in_the_same_order(full: Shelf, kind: str) -> None:
    found = exported(full.root)
    assert {tuple(row) for row in rows_of(kind, found)} == {COLUMNS[kind]}
    read = list(csv.DictReader(io.StringIO(to_csv(rows_of(kind, found), COLUMNS[kind]))))
    lines = [json.loads(line) for line in to_jsonl(rows_of(kind, found)).splitlines()]
    assert lines == list(rows_of(kind, found)) and len(read) == len(lines)
    assert [row["task"] for row in read] == [row["task"] for row in lines]


def test_failures_are_failures_and_outages_errors_in_junit(full: Shelf) -> None:
    first, second = ElementTree.fromstring(to_junit(exported(full.root)))
    assert [first.attrib[name] for name in ("tests", "failures", "errors", "skipped")] == ["3", "1", "1", "0"]
    cases = {case.attrib["name"]: case for case in first}
    assert cases["slow"].find("failure").attrib == {"type": "timeout", "message": "because"}  # type: ignore[union-attr]
    assert cases["gone#1"].find("error").attrib["type"] == "endpoint"  # type: ignore[union-attr]
    assert second[0].find("properties/property").attrib == {"name": "overall", "value": "0.25"}  # type: ignore[union-attr]


def test_hostile_texts_stay_in_their_cells(shelf: Shelf) -> None:
    shelf.add(ODD, "x", {ODD: 1, "-1": 0})
    failed = shelf.add(ODD, "y", reason=Reason.EXIT_CODE)
    (failed / "job.json").write_text((failed / "job.json").read_text().replace('"because"', json.dumps(ODD)))
    shelf.settle()
    found = exported(shelf.root)
    items = list(csv.DictReader(io.StringIO(to_csv(rows_of("items", found), COLUMNS["items"]))))
    assert [row["item"] for row in items] == ["'" + ODD, "'-1"]
    assert {row["model"] for row in items} == {"'" + ODD}
    (suite,) = ElementTree.fromstring(to_junit(found))
    assert suite[1][0].attrib["message"].startswith("=1+1|<b>`x`") and suite.attrib["failures"] == "1"
    (row,) = [line for line in to_markdown(found).splitlines() if "=1" in line]
    assert row.startswith("| =1+1\\|&lt;b>\\`x\\`   &amp;  | 0.5000 |")


def test_markdown_puts_the_best_first_and_boards_apart(shelf: Shelf) -> None:
    for model, items in (("low", [0, 0]), ("high", [1, 1])):
        shelf.add(model, "x", items)
    shelf.settle()
    shelf.add("low", "x", [1], variables={"BENCH_LIMIT": "1"})
    shelf.settle(name="2", headline=False)
    lines = to_markdown(exported(shelf.root)).splitlines()
    heads = [line for line in lines if line.startswith(("##", "| high", "| low"))]
    assert [line.split(" | ")[0] for line in heads] == ["## b", "| high", "| low", "## b, BENCH\\_LIMIT=1", "| low"]


def test_the_newest_is_exported_and_with_all_what_was_before(shelf: Shelf) -> None:
    for revision in ("1", "2"):
        shelf.add("m", "x", [int(revision) - 1], revision=revision)
        shelf.settle(name=revision)
    assert len(exported(shelf.root)) == 1 and len(exported(shelf.root, every=True)) == 2
    assert exported(shelf.root, Scope({"other": []})) == exported(shelf.root, Scope(models=["other"])) == []


def test_parquet_reads_back_with_types_that_do_not_hang_on_the_rows(full: Shelf) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    from pyarrow import parquet

    from benchrouter.scores.export.parquet import to_parquet

    found = exported(full.root)
    for kind, columns in COLUMNS.items():
        table = parquet.read_table(io.BytesIO(to_parquet(rows_of(kind, found), columns)))
        assert table.to_pylist() == list(rows_of(kind, found))
        assert table.schema == parquet.read_table(io.BytesIO(to_parquet([], columns))).schema
    assert table.schema.field("reward").type == pyarrow.float64()


def test_a_job_of_several_aggregates_is_in_one_row(shelf: Shelf) -> None:
    """Rewards counted one job three times: a run of some tasks, and one with a variable, adopt what was run before."""
    seeded: dict[str, Any] = {"seed": 3, "task": {"seed": 3}}
    for name, repeats, variables in (("1", 1, {}), ("2", 2, {}), ("3", 1, {"BENCH_LIMIT": "1"})):
        for repeat in range(repeats):
            shelf.add("m", "x", {"p": 1}, repeat=repeat, variables=variables, **seeded)
        if name == "1":
            shelf.add("m", "y", overall=0.5, variables=variables, **seeded)
        shelf.settle(name=name, headline=name == "1", declared=2)
    for every in (False, True):
        found = exported(shelf.root, every=every)
        assert len(found) == 3
        keyed = [(each.task, each.repeat, each.variables) for each in rewards(found)]
        assert keyed == [("x", 0, ""), ("y", 0, ""), ("x", 1, ""), ("x", 0, "BENCH_LIMIT=1")]
        assert [row["key"] for row in rows_of("jobs", found)] == [each.key for each in rewards(found)]
        assert [row["variables"] for row in rows_of("items", found)] == ["", "", "BENCH_LIMIT=1"]
        cases = ElementTree.fromstring(to_junit(found)).findall("testsuite/testcase")
        assert [case.attrib["name"] for case in cases] == ["x", "y", "x#1", "x"]


def test_seeded_repeats_lost_all_but_the_first(shelf: Shelf) -> None:
    """job.json holds the seed before the repeat, in each: they looked like other content, failed ones too."""
    for repeat in range(3):
        shelf.add("m", "x", {"p": 1, "q": 0}, repeat=repeat, seed=11)
    shelf.add("m", "y", reason=Reason.EXIT_CODE, repeat=1, seed=11)
    shelf.settle()
    found = exported(shelf.root)
    assert [row["repeat"] for row in rows_of("jobs", found)] == [0, 1, 2, 1]
    assert len(list(rewards(found))) == 7
    (suite,) = ElementTree.fromstring(to_junit(found))
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("4", "1")


@pytest.mark.parametrize("model", ["m", "other"])
def test_rows_of_old_content_do_not_come_out_through_a_run_of_one_task(shelf: Shelf, model: str) -> None:
    shelf.add("m", "x", {"p": 0}, files={"run.py": "old"})
    shelf.add("m", "y", {"p": 0})
    shelf.settle(name="1", headline=False, declared=3)
    shelf.add("m", "x", {"p": 0}, files={"run.py": "old"})
    shelf.settle(name="2", headline=False, declared=3)
    shelf.add("m", "x", {"p": 0}, files={"run.py": "old"}, variables={"BENCH_LIMIT": "1"})
    shelf.settle(name="0", headline=False, declared=3)
    shelf.add(model, "x", {"p": 1})
    shelf.add(model, "z", {"p": 1})
    shelf.settle(name="3", headline=False, declared=3)
    for path in shelf.root.glob("b/*/aggregates/*.json"):
        os.utime(path, (int(path.stem), int(path.stem)))
    rows = [(each.model, each.task, each.reward) for each in rewards(exported(shelf.root))]
    assert sorted(rows) == sorted([("m", "y", 0.0), (model, "x", 1.0), (model, "z", 1.0)])
    assert len(list(rewards(exported(shelf.root, every=True)))) == 5


def test_what_waits_in_one_aggregate_is_told_by_another_that_ran_it(shelf: Shelf) -> None:
    shelf.add("m", "x", reason=Reason.TIMEOUT)
    failed = shelf.jobs["b", "m"][0]
    shelf.settle(name="1", headline=False)
    shelf.jobs["b", "m"] = [replace(failed, state=JobState.QUEUED, reason=None)]
    shelf.add("m", "y", overall=1.0)
    shelf.settle(name="2")
    assert [(row["task"], row["state"]) for row in rows_of("jobs", exported(shelf.root))] == [
        ("y", "COMPLETED"),
        ("x", "FAILED"),
    ]


def test_an_export_under_another_seed_hid_rows_and_mixed_seeds(shelf: Shelf) -> None:
    """Tasks x, y and z under seed 6, then z under 7: what was left was x and y of one seed and z of the other."""
    for task in ("x", "y", "z"):
        shelf.add("m", task, overall=0.5, seed=6)
    shelf.settle(name="1")
    shelf.add("m", "z", overall=0.25, seed=7)
    shelf.settle(name="2", headline=False, declared=3)
    rows = [(row["task"], row["overall"], row["seed"]) for row in rows_of("jobs", exported(shelf.root))]
    assert rows == [("x", 0.5, 6), ("y", 0.5, 6), ("z", 0.5, 6), ("z", 0.25, 7)]
    assert [(board.words, board.superseded) for board in boards(shelf.root)] == [
        (("seed 6",), ()),
        (("tasks z", "seed 7"), ()),
    ]
    shelf.add("m", "z", overall=0.75, seed=7, files={"run.py": "edited"})
    shelf.settle(name="3", headline=False, declared=3)
    dated(shelf)
    rows = [(row["task"], row["overall"], row["seed"]) for row in rows_of("jobs", exported(shelf.root))]
    assert rows == [("x", 0.5, 6), ("y", 0.5, 6), ("z", 0.75, 7)]


def test_an_edited_seed_of_a_task_is_other_content(shelf: Shelf) -> None:
    for seed in (1, 2):
        shelf.add("m", "x", overall=seed / 4, seed=seed, task={"seed": seed})
        shelf.settle(name=f"{seed}")
    dated(shelf)
    assert [row["overall"] for row in rows_of("jobs", exported(shelf.root))] == [0.5]


def test_a_kind_of_results_stood_on_the_leaderboard_alone(shelf: Shelf) -> None:
    """Three repeats under a seed that was typed, then two without: `results` left the former out."""
    for name, repeats, inputs in (("1", 3, {"seed": 100}), ("2", 2, {})):
        for repeat in range(repeats):
            shelf.add("m", "x", overall=0.5, repeat=repeat, **inputs)
        shelf.settle(name=name, headline=name == "2")
    dated(shelf)
    shown = [board.words for board in boards(shelf.root) if not board.superseded]
    assert sorted(shown) == sorted(one.board.words for one in exported(shelf.root))
    assert sorted(shown) == [("2 repeats",), ("3 repeats", "seed 100")]


def test_repeats_of_earlier_content_stood_on_the_leaderboard_as_if_of_today(shelf: Shelf) -> None:
    """Two repeats, an edit, then one: no newer result was asked for in the same words, so the old one stayed."""
    for repeat in range(2):
        shelf.add("m", "x", overall=1.0, repeat=repeat)
    shelf.settle(name="1", headline=False)
    shelf.add("m", "x", overall=0.5, files={"run.py": "edited"})
    shelf.settle(name="2")
    dated(shelf)
    found = boards(shelf.root)
    assert [board.superseded for board in found] == [(), ("file run.py differs",)]
    assert [one.board.words for one in exported(shelf.root)] == [()]


def dated(shelf: Shelf) -> None:
    """Let aggregates have been written in the order of their names, the headline with the last."""
    for path in shelf.root.glob("b/*/aggregates/*.json"):
        os.utime(path, (int(path.stem), int(path.stem)))
    headline = shelf.root / "b" / "m" / "aggregate.json"
    (twin,) = [path for path in headline.parent.glob("aggregates/*") if path.read_bytes() == headline.read_bytes()]
    os.utime(headline, (int(twin.stem), int(twin.stem)))
