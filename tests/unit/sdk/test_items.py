"""select and write_items as a task's script uses them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import benchrouter.sdk
from benchrouter.sdk import EndpointError, select, whole, write_items

IDS = [f"item-{number}" for number in range(100)]


@pytest.fixture(autouse=True)
def output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BENCHROUTER_OUTPUT_DIR", str(tmp_path))
    monkeypatch.delenv("BENCH_LIMIT", raising=False)
    monkeypatch.delenv("BENCH_SEED", raising=False)
    return tmp_path / "result.json"


def limited(monkeypatch: pytest.MonkeyPatch, limit: str, seed: str | None = None) -> list[str]:
    monkeypatch.setenv("BENCH_LIMIT", limit)
    if seed is not None:
        monkeypatch.setenv("BENCH_SEED", seed)
    return select(IDS)


def test_the_order_is_documented_and_a_few_are_the_first_of_more(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = select(IDS)
    assert whole == sorted(IDS, key=lambda id: hashlib.sha256(f"0:{id}".encode()).hexdigest())
    for limit in (1, 10, 20, 99, 100, 1000):
        assert limited(monkeypatch, str(limit)) == whole[:limit]


def test_the_order_hangs_on_ids_and_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = select(IDS)
    assert select(reversed(IDS)) == whole
    assert [item["n"] for item in select([{"n": id} for id in IDS], id=lambda item: str(item["n"]))] == whole
    assert limited(monkeypatch, "100", "0") == limited(monkeypatch, "100", "") == whole
    assert limited(monkeypatch, "100", "1") != whole


@pytest.mark.parametrize("limit", ["0", "-1", "1.5", "ten", "", " ", "1e3", "٣", "²"])
def test_a_bad_limit_ends_the_script_with_2_and_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], limit: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        limited(monkeypatch, limit)
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"BENCH_LIMIT={limit}: expected a whole number of at least 1\n"


@pytest.mark.parametrize(("given", "number"), [(None, 8), ("", 8), ("3", 3), (" 12 ", 12)])
def test_a_whole_number_is_read_or_the_default(given: str | None, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_WORKERS", raising=False)
    if given is not None:
        monkeypatch.setenv("SOME_WORKERS", given)
    assert whole("SOME_WORKERS", 8) == number


@pytest.mark.parametrize("given", ["0", "-1", "1.5", "many", "²"])
def test_what_is_no_whole_number_ends_the_script(
    given: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOME_WORKERS", given)
    with pytest.raises(SystemExit, match="2"):
        whole("SOME_WORKERS")
    assert capsys.readouterr().err == f"SOME_WORKERS={given}: expected a whole number of at least 1\n"



def test_two_items_with_one_id_are_refused() -> None:
    with pytest.raises(ValueError, match="two items have the id 'a'"):
        select(["a", "b", "a"])


def test_overall_is_the_mean_of_the_judged(output: Path) -> None:
    tokens = {"prompt": 3, "completion": 4}
    items: list[dict[str, Any]] = [
        {"id": "a", "score": 1, "tokens": tokens},
        {"id": "b", "score": 0.5},
        {"id": "c", "error": "the checker crashed"},
        {"id": "d", "score": None, "error": str(EndpointError("status 500"))},
    ]
    assert write_items(items, upstream={"x": 1}) == output
    assert json.loads(output.read_text()) == {"upstream": {"x": 1}, "overall": 0.75, "items": items}


def test_a_mean_is_exact(output: Path) -> None:
    write_items([{"id": str(n), "score": 0.1} for n in range(10)])
    assert json.loads(output.read_text())["overall"] == 0.1
    write_items([{"id": str(n), "score": 0.8} for n in range(6)])
    assert json.loads(output.read_text())["overall"] == 0.8


@pytest.mark.parametrize(
    ("errors", "status", "says"),
    [
        (["the checker crashed", "too"], 1, "none of 2 items could be judged; 0: the checker crashed"),
        (["the checker crashed", "endpoint: status 500"], 75, "judged; 1: endpoint: status 500"),
        ([], 1, "no item was selected"),
    ],
)
def test_nothing_judged_is_no_zero(
    output: Path, capsys: pytest.CaptureFixture[str], errors: list[str], status: int, says: str
) -> None:
    items = [{"id": str(n), "error": error} for n, error in enumerate(errors)]
    with pytest.raises(SystemExit) as ended:
        write_items(items)
    assert (ended.value.code, says in capsys.readouterr().err) == (status, True)
    assert json.loads(output.read_text()) == {"overall": None, "items": items}


@pytest.mark.parametrize(
    ("item", "says"),
    [
        ({"score": 1}, "item 2: `id` is None"),
        ({"id": 3, "score": 1}, "item 2: `id` is 3"),
        ({"id": "first", "score": 1}, "item 2: another one has the id 'first'"),
        ({"id": "x"}, "`score of item x` is None"),
        ({"id": "x", "score": True}, "`score of item x` is True"),
        ({"id": "x", "score": 100}, "`score of item x` is 100"),
        ({"id": "x", "score": float("nan")}, "`score of item x` is nan"),
        ({"id": "x", "score": 0, "error": "no"}, "item x: `error` beside a score"),
        ({"id": "x", "error": ""}, "item x: `error` is ''"),
        ({"id": "x", "error": {"kind": "endpoint"}}, "item x: `error` is {"),
    ],
)
def test_an_item_of_another_form_is_refused(output: Path, item: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError) as raised:
        write_items([{"id": "first", "score": 1}, item])
    assert says in str(raised.value) and not output.exists()


def test_the_helpers_work_on_the_oldest_python_that_is_promised(tmp_path: Path) -> None:
    old = shutil.which("python3.7")
    if not old or subprocess.run([old, "-c", ""], capture_output=True, check=False).returncode != 0:
        pytest.skip("no python3.7 here")
    sdk = Path(benchrouter.sdk.__file__).parent
    shutil.copytree(sdk, tmp_path / "app/benchrouter/sdk", ignore=shutil.ignore_patterns("__pycache__"))
    script = (
        "from benchrouter.sdk import complete, select, write_items\n"
        "write_items([{'id': id, 'score': 1} for id in select(['a', 'b', 'c'])])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "app"), "BENCH_LIMIT": "2"}
    subprocess.run([old, "-c", script], env=environment, check=True)
    ids = [item["id"] for item in json.loads((tmp_path / "result.json").read_text())["items"]]
    assert ids == select(["a", "b", "c"])[:2]
