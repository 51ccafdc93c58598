from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from shelf import Shelf

from benchrouter.scores.collected import (
    ItemResult,
    aggregates,
    completed_results,
    jobs_of,
    read_result,
    variables_of,
)
from benchrouter.store.states import JobState, Reason


def test_a_job_is_read_with_its_items(shelf: Shelf) -> None:
    directory = shelf.add("a=b/c", "x", {"p": 1, "q": None, "r": 0.5}, variables={"BENCH_LIMIT": "3"})
    found = read_result(directory)
    assert found is not None
    assert (found.overall, found.state, found.directory) == (0.75, JobState.COMPLETED, directory)
    assert found.items == (ItemResult("p", 1.0), ItemResult("q", None, "broke"), ItemResult("r", 0.5))
    assert (str(found.counts), found.variables, found.facts["key"]) == ("2/3", {"BENCH_LIMIT": "3"}, found.key)
    assert found.provenance()["run_id"] == "r"


def test_tokens_and_what_a_task_adds_are_kept(shelf: Shelf) -> None:
    path = shelf.add("m", "x", [1]) / "result.json"
    item = {"id": "p", "score": 1, "tokens": {"prompt": 3, "completion": None}, "answer": "Paris"}
    path.write_text(json.dumps({**json.loads(path.read_text()), "raw_metrics": {"items": [item]}}))
    found = read_result(path.parent)
    assert found is not None
    assert found.items == (ItemResult("p", 1.0, "", (3, None), {"answer": "Paris"}),)


def test_an_aggregate_leads_to_its_jobs_and_failed_ones_to_their_attempt(shelf: Shelf) -> None:
    shelf.add("M 1", "x", [1, 0])
    failed = shelf.add("M 1", "y", reason=Reason.TIMEOUT)
    shelf.settle(declared=3)
    (listed,) = aggregates(shelf.root)
    assert (listed.benchmark, listed.model, listed.headline, listed.declared) == ("b", "M 1", True, 3)
    assert listed.tasks == ("x", "y")
    x, y = jobs_of(shelf.root, listed)
    assert (x.overall, len(x.items)) == (0.5, 2)
    assert (y.state, y.reason, y.directory, y.facts["detail"]) == (JobState.FAILED, Reason.TIMEOUT, failed, "because")


def test_an_aggregate_whose_artifact_is_gone_keeps_its_score(shelf: Shelf) -> None:
    shutil.rmtree(shelf.add("m", "x", [1, 0]))
    shelf.settle()
    (listed,) = aggregates(shelf.root, "b")
    (job,) = jobs_of(shelf.root, listed)
    assert (job.overall, job.items, job.directory) == (0.5, (), None)
    assert variables_of(shelf.root, listed) == {}
    (shelf.root / "b" / "m" / "aggregate.json").unlink()
    (listed,) = aggregates(shelf.root, "b")
    assert variables_of(shelf.root, listed) is None


def test_runs_with_variables_are_listed_beside_the_headline(shelf: Shelf) -> None:
    shelf.add("m", "x", [1, 0])
    shelf.settle(name="1")
    shelf.add("m", "x", [1], variables={"BENCH_LIMIT": "1"})
    shelf.settle(name="2", headline=False)
    listed = list(aggregates(shelf.root))
    assert [one.headline for one in listed] == [True, False]
    assert [variables_of(shelf.root, one) for one in listed] == [{}, {"BENCH_LIMIT": "1"}]
    assert [job.overall for job in completed_results(shelf.root)] in ([0.5, 1.0], [1.0, 0.5])


def test_a_copy_elsewhere_says_the_same(shelf: Shelf, tmp_path: Path) -> None:
    shelf.add("m", "x", [1, 0])
    shelf.settle()
    copy = tmp_path / "elsewhere" / "of another name"
    shutil.copytree(shelf.root, copy)
    (listed,) = aggregates(copy)
    assert [job.overall for job in jobs_of(copy, listed)] == [0.5]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"jobs": 1}', b"\xff", b'{"overall": NaN}'])
def test_torn_and_foreign_files_are_missing(shelf: Shelf, content: bytes) -> None:
    good = shelf.add("m", "x", [1, 0])
    bad = shelf.add("m", "y", [1, 0])
    shelf.settle()
    (bad / "result.json").write_bytes(content)
    (shelf.root / "b" / "m" / "aggregates" / "torn.json").write_bytes(content)
    (shelf.root / "b" / "m" / "notes.txt").write_bytes(content)
    (shelf.root / "b" / "stray").write_bytes(content)
    shutil.copytree(good, good.with_name("other-key"))
    os.mkfifo(shelf.root / "b" / "m" / "aggregates" / "pipe.json")
    assert len(list(aggregates(shelf.root))) == 1
    assert [job.directory for job in completed_results(shelf.root)] == [good]


@pytest.mark.parametrize(
    "change",
    [{"task": "../../up"}, {"key": "../x"}, {"state": "DONE"}, {"reason": "weather"}, {"overall": "1"}],
)
def test_an_aggregate_that_we_did_not_write_is_missing(shelf: Shelf, change: dict[str, Any]) -> None:
    shelf.add("m", "x", [1, 0])
    shelf.settle(headline=False)
    path = shelf.root / "b" / "m" / "aggregates" / "1.json"
    document = json.loads(path.read_text())
    document["jobs"][0].update(change)
    path.write_text(json.dumps(document))
    assert list(aggregates(shelf.root)) == []


def test_no_results_at_all(tmp_path: Path) -> None:
    assert list(aggregates(tmp_path / "results")) == []
    assert list(completed_results(tmp_path / "results")) == []
    assert list(aggregates(tmp_path, "../x")) == []


def test_ten_thousand_items_are_read_quickly(shelf: Shelf) -> None:
    shelf.add("m", "x", [n % 2 for n in range(10_000)])
    begin = time.process_time()
    assert sum(len(job.items) for job in completed_results(shelf.root)) == 10_000
    assert time.process_time() - begin < 1
