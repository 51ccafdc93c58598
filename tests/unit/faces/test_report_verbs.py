"""`benchrouter report` and `benchrouter export`: files, text and JSON from results that are there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import benchrouter as python
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
        assert {row["task"] for row in python.results(word, workspace=root).rows()} == tasks
        assert {each.task for each in python.rewards(word, workspace=root)} == tasks
        (compared,) = python.compare(word, workspace=root)
        assert {*compared.comparison.contenders[0].tasks} == tasks
        (board,) = benchrouter(root, "report", word, "--leaderboard", "--json").json["boards"]
        assert {*board["tasks"]} == tasks
        (root / "gate.yaml").write_text(f"gates:\n- benchmark: {word}\n  models: weak\n  minimum: 0.5\n")
        told = benchrouter(root, "gate", "--json").json["gates"]
        assert told[0]["benchmark"] == "b" and set(told[0]["tasks"] or ("one", "two")) == tasks
        missing = ["gone"] if word in ("mine", "all", "all-of-it") else []
        assert [each["benchmark"] for each in told if not each["passed"]] == missing
    for words in (["compare", "other"], ["export", "other"], ["compare", "b/three"], ["export", "b/three"]):
        assert benchrouter(root, *words).status == 2
    for words in (["report", "other"], ["report", "b/three"], ["report", "b", "-m", "n"], ["report", "--tasks", "x"]):
        assert benchrouter(root, *words).status == 2
    assert not list((root / "results").glob("report*"))
    for word in ("b/three", "c"):
        with pytest.raises(python.ScoresError, match="no result of "):
            python.results(word, workspace=root)


def test_a_report_of_some_leaves_that_of_all_as_it_is(tmp_path: Path) -> None:
    """`report` took no BENCH; a page of one benchmark must not stand where that of all is looked for."""
    root = small_workspace(tmp_path / "w")
    shelf = Shelf(root / "results")
    for benchmark in ("b", "c"):
        for model in ("weak", "strong"):
            shelf.add(model, "one", [0, 1], benchmark=benchmark)
            shelf.add(model, "two", [1, 1], benchmark=benchmark)
    shelf.settle()
    whole = benchrouter(root, "report").out
    before = (root / "results" / "report.html").read_bytes()
    for words, name in (
        (["b"], "report-b.html"),
        (["./benchmarks/b", "--tasks", "two"], "report-b+two.html"),
        (["b/two", "-m", "weak"], "report-b+two@weak.html"),
        (["b/two,c", "--leaderboard"], "leaderboard-b+two,c.json"),
    ):
        assert benchrouter(root / "benchmarks", "report", *words).status == (0 if words[0][0] == "b" else 2)
        called = benchrouter(root, "report", *words)
        path = root / "results" / name
        assert path.is_file() and (called.out == f"{path}\n") is path.name.endswith("html")
    page = (root / "results" / "report-b+two@weak.html").read_text()
    assert 'href="b/weak/two/' in page and "/one/" not in page and "strong" not in page and ">c<" not in page
    boards = json.loads((root / "results" / "leaderboard-b+two,c.json").read_text())["boards"]
    assert [(each["benchmark"], each["tasks"], len(each["entries"])) for each in boards] == [
        ("b", ["two"], 2), ("c", ["one", "two"], 2)
    ]  # fmt: skip
    assert {each["overall"] for each in boards[0]["entries"]} == {1.0}
    assert not (root / "results" / "leaderboard.json").exists()
    assert whole.endswith("results/report.html\n") and (root / "results" / "report.html").read_bytes() == before


def test_a_report_elsewhere_leads_back_to_the_results(tmp_path: Path) -> None:
    """Links are relative to the page, wherever `-o` puts it."""
    root = small_workspace(tmp_path / "w")
    shelf = Shelf(root / "results")
    artifact = shelf.add("m", "one", [0, 1])
    shelf.settle()
    page = tmp_path / "out" / "page.html"
    assert benchrouter(root, "report", "-o", page).status == 2  # a directory that is not there is a slip
    page.parent.mkdir()
    assert benchrouter(root, "report", "-o", page).out == f"{page}\n"
    (link,) = set(re.findall(r'href="([^"#]*/one/[^"]*)"', page.read_text()))
    assert (page.parent / link).resolve() == artifact and not (root / "results" / "report.html").exists()


def test_a_task_s_score_is_told_once_however_many_runs_hold_it(tmp_path: Path) -> None:
    """A run of all and one of that task alone took over the same job: one result, not two in its history."""
    root = small_workspace(tmp_path / "w")
    shelf = Shelf(root / "results")
    shelf.add("m", "one", [0, 0])
    shelf.add("m", "two", [1, 1])
    shelf.settle()
    shelf.add("m", "two", [1, 1])
    shelf.settle(name="2", headline=False, declared=2)
    (line,) = benchrouter(root, "report", "b/two", "--leaderboard").out.splitlines()[1:]
    assert line.split()[:3] == ["1", "m", "1.0000"] and "more result" not in line
    (result,) = python.results("b/two", workspace=root)
    assert (result.overall, result.coverage, result.asked) == (1.0, (1, 1), ("tasks two",))


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
