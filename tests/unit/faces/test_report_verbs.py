"""`benchrouter report` and `benchrouter export`: files, text and JSON from results that are there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.faces.workspaces import benchrouter, small_workspace
from tests.unit.scores.shelf import Shelf


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with results of two models."""
    root = small_workspace(tmp_path_factory.mktemp("results") / "w")
    shelf = Shelf(root / "results")
    for model, items in (("weak", [1, 0, 0]), ("strong", [1, 1, 0])):
        shelf.add(model, "one", items)
    shelf.settle()
    return root


def test_the_report_is_written_and_a_torn_record_set_aside_and_named(workspace: Path) -> None:
    (workspace / "runs").mkdir()
    (workspace / "runs" / "20260101t000000-aa.json").write_text("{")
    called = benchrouter(workspace / "benchmarks", "report")
    aside = "runs/torn/20260101t000000-aa.json"
    assert called.out == f"torn record set aside: {aside}\n{workspace}/results/report.html\n"
    assert (workspace / aside).read_text() == "{" and b"strong" in (workspace / "results/report.html").read_bytes()
    told = benchrouter(workspace, "report", "--json").json
    assert told == {"version": 1, "kind": "report", "path": f"{workspace}/results/report.html", "torn": []}


def test_the_leaderboard_as_text_as_json_and_as_file(workspace: Path) -> None:
    called = benchrouter(workspace, "report", "--leaderboard")
    shown = [line.split()[:3] for line in called.out.splitlines()[1:]]
    assert shown == [["1", "strong", "0.6667"], ["2", "weak", "0.3333"]]
    told = benchrouter(workspace, "report", "--leaderboard", "--json").json
    assert told == json.loads((workspace / "results" / "leaderboard.json").read_text())
    assert [entry["model"] for entry in told["boards"][0]["entries"]] == ["strong", "weak"]


def test_an_export_on_stdout_in_a_file_and_as_json(workspace: Path) -> None:
    words = ("export", "b", "-m", "weak", "--rows", "rewards")
    lines = [json.loads(line) for line in benchrouter(workspace, *words, "-f", "jsonl").out.splitlines()]
    assert [(line["item"], line["reward"]) for line in lines] == [("i00000", 1.0), ("i00001", 0.0), ("i00002", 0.0)]
    assert benchrouter(workspace, *words, "--json").json["rows"] == lines
    assert benchrouter(workspace / "benchmarks", *words, "-o", "here.csv").out == ""
    assert (workspace / "benchmarks" / "here.csv").read_bytes().count(b"\r\n") == 4


@pytest.mark.parametrize("form", ["csv", "jsonl", "md", "junit"])
def test_an_export_writes_its_file_beside_json(workspace: Path, form: str) -> None:
    """With --json it said that all was well, and wrote none."""
    told = benchrouter(workspace, "export", "b", "-f", form, "-o", f"out.{form}", "--json").json
    assert (told["path"], len(told["rows"])) == (f"{workspace}/out.{form}", 2)
    assert b"strong" in (workspace / f"out.{form}").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["export", "c"], "no result of benchmark `c`"),
        (["export", "-m", "stron"], "no result of model `stron` (did you mean `strong`?)"),
        (["export", "-f", "md", "--rows", "items"], "--rows items: md has no rows"),
        (["export", "-f", "parquet"], "name a file with -o"),
        (["export", "-f", "xml"], "'xml' is not one of"),
    ],
)
def test_what_cannot_be_exported_is_said(workspace: Path, words: list[str], said: str) -> None:
    called = benchrouter(workspace, *words)
    assert called.status == 2 and said in called.err and called.out == ""


def test_a_workspace_without_results(tmp_path: Path) -> None:
    root = small_workspace(tmp_path / "w")
    assert "no results here yet" in benchrouter(root, "export").err
    assert benchrouter(root, "report", "--leaderboard").out == "no results yet\n"


def test_bench_means_the_same_to_what_reads_results(tmp_path: Path) -> None:
    """A group, BENCHMARK/TASK and a directory were names without results to compare, export and gate."""
    root = small_workspace(tmp_path / "w")
    shelf = Shelf(root / "results")
    for model in ("weak", "strong"):
        shelf.add(model, "one", [0, 1])
        shelf.add(model, "two", [1, 1])
    shelf.settle()
    (root / "benchrouter.yaml").write_text("groups:\n  mine: [b/two, other]\n  other: [gone]\n  all-of-it: [mine, b]\n")
    (root / "benchmarks" / "gone").mkdir()
    (root / "benchmarks" / "gone" / "benchmark.yaml").write_text("name: gone\ntasks: [one]\n")
    for word, tasks in (
        ("b", {"one", "two"}),
        ("b/two", {"two"}),
        ("mine", {"two"}),
        ("all-of-it", {"one", "two"}),
        ("all", {"one", "two"}),
        ("./benchmarks/b", {"one", "two"}),
    ):
        told = benchrouter(root, "compare", word, "--models", "weak,strong", "--json").json["benchmarks"]
        assert [(one["benchmark"], len(one["models"])) for one in told] == [("b", 2)]
        assert {task["task"] for task in told[0]["models"][0]["tasks"]} == tasks
        rows = benchrouter(root, "export", word, "--models", "weak,strong", "--json").json["rows"]
        assert {row["task"] for row in rows} == tasks and len(rows) == 2 * len(tasks)
        (root / "gate.yaml").write_text(f"gates:\n- benchmark: {word}\n  models: weak\n  minimum: 0.5\n")
        told = benchrouter(root, "gate", "--json").json["gates"]
        assert told[0]["benchmark"] == "b" and set(told[0]["tasks"] or ("one", "two")) == tasks
        missing = ["gone"] if word in ("mine", "all", "all-of-it") else []
        assert [each["benchmark"] for each in told if not each["passed"]] == missing
    for words in (["compare", "other"], ["export", "other"], ["compare", "b/three"], ["export", "b/three"]):
        assert benchrouter(root, *words).status == 2


def test_a_gate_that_means_nothing_does_not_pass(workspace: Path) -> None:
    (workspace / "gate.yaml").write_text("gates:\n- benchmark: b/one\n  tasks: [two]\n")
    called = benchrouter(workspace, "gate")
    assert called.status == 1 and "no results of task `two`" in called.out


def test_a_damaged_result_is_named(tmp_path: Path) -> None:
    """Cut to nothing, its score in the aggregate went on to be shown, and nobody was told."""
    root = small_workspace(tmp_path / "w")
    shelf = Shelf(root / "results")
    damaged = shelf.add("m", "one", [1, 1])
    shelf.add("m", "two", [1, 0])
    shelf.settle()
    (root / "gate.yaml").write_text("gates: [{benchmark: b, minimum: 0.5}]\n")
    for words in (["compare", "b"], ["export", "b"], ["gate"]):
        assert benchrouter(root, *words).err == ""
    (damaged / "result.json").write_bytes(b"")
    said = f"b/one @ m: no valid artifact any more in {damaged}; its score is what the aggregate says"
    for words in (["compare", "b"], ["export", "b"], ["gate"]):
        assert benchrouter(root, *words).err == f"benchrouter: warning: {said}\n"
        called = benchrouter(root, *words, "--json")
        told = called.json
        held = {"compare": "benchmarks", "gate": "gates"}.get(words[0])
        assert (told[held][0] if held else told)["warnings"] == [said] and said in called.err
    rows = benchrouter(root, "export", "b", "--rows", "rewards", "--json").json["rows"]
    assert [row["task"] for row in rows] == ["two", "two"]


def test_a_gate_tells_its_coverage_as_numbers(workspace: Path) -> None:
    (workspace / "gate.yaml").write_text("gates: [{benchmark: b}, {benchmark: c}]\n")
    told = benchrouter(workspace, "gate", "--json").json["gates"]
    assert [each["coverage"] for each in told] == [{"completed": 1, "declared": 1}] * 2 + [None]
