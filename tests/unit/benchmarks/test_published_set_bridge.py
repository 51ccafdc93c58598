"""The benchmarks whose upstreams cannot be had here: what can be told without a container."""

from __future__ import annotations

import csv
import importlib.util
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from demo_scores import BENCHMARKS

from benchrouter.spec.benchmark import load_benchmark
from benchrouter.spec.task import load_task

TASKS = {
    "mcpmark": ["mcpmark-fs", "mcpmark-pg", "mcpmark-pw", "mcpmark-pw-webarena"],
    "webarena": ["webarena-shopping-admin"],
    "toolathlon-local": ["toolathlon-local"],
    "swe-bench-pro": [f"shard-{number}" for number in range(1, 9)],
    "browsecomp": ["default"],
    "lmms-eval": ["mmmu-val"],
    "xbench": ["scienceqa"],
    "mcp-universe": ["financial-analysis", "web-search", "location-navigation"],
}
OWN_DAEMON = {"mcpmark-pg", "mcpmark-pw-webarena", "webarena-shopping-admin", "toolathlon-local"}


@pytest.mark.parametrize("name", TASKS)
def test_shares_its_code_by_links(name: str) -> None:
    benchmark, _ = load_benchmark(BENCHMARKS / name)
    assert [task.name for task in benchmark.tasks] == TASKS[name]
    for task in benchmark.tasks:
        spec, _ = load_task(BENCHMARKS / name / task.name / "task.yaml")
        assert spec.docker == (name == "swe-bench-pro" or task.name in OWN_DAEMON)
        links = {path.name: str(path.readlink()) for path in (BENCHMARKS / name / task.name).glob("*.py")}
        assert links and all(target == f"../code/{link}" for link, target in links.items())
    assert len((BENCHMARKS / name / "code" / "bridge.py").read_text().splitlines()) < 80


def module(benchmark: str, name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import a file of a benchmark's code; what it imports of its neighbours is found."""
    directory = BENCHMARKS / benchmark / "code"
    monkeypatch.syspath_prepend(str(directory))
    for neighbour in directory.glob("*.py"):
        monkeypatch.delitem(sys.modules, neighbour.stem, raising=False)
    spec = importlib.util.spec_from_file_location(f"{benchmark}_{name}", directory / f"{name}.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def row(number: int, **other: Any) -> dict[str, Any]:
    """Give a row with the columns of SWE-bench Pro."""
    tests = {"fail_to_pass": "['a']", "pass_to_pass": "[]", "selected_test_files_to_run": "['t.py']"}
    texts = {"problem_statement": "Wrong.", "requirements": "", "interface": "", "patch": "GOLD", "test_patch": "GOLD"}
    base = {"repo": "o/r", "base_commit": "c0ffee", "before_repo_set_cmd": "x"}
    names = {"instance_id": f"instance_o__r-{number:02}", "dockerhub_tag": f"o.r-o__r-{number:02}"}
    return {**names, **base, **tests, **texts, **other}


def generate(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the generator of a copy of the benchmark."""
    if not root.exists():
        shutil.copytree(BENCHMARKS / "swe-bench-pro", root, symlinks=True)
    command = [sys.executable, str(root / "code" / "generate.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=root.parent)


def instances(root: Path) -> list[dict[str, Any]]:
    text = (root / "environments" / "swe-bench-pro" / "instances.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    """Write a data set as its name says."""
    if path.suffix == ".csv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    else:
        path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path.name


def test_a_csv_and_json_lines_give_the_same_shards(tmp_path: Path) -> None:
    rows = [row(number) for number in range(20)]
    made = []
    for name in ("data.csv", "data.jsonl"):
        done = generate(tmp_path / name.replace(".", "-"), write(tmp_path / name, rows))
        assert done.returncode == 0, done.stderr
        made.append(instances(tmp_path / name.replace(".", "-")))
    assert made[0] == made[1]
    assert [sum(each["shard"] == shard for each in made[0]) for shard in range(1, 9)] == [2, 3, 2, 3, 2, 3, 2, 3]
    assert "GOLD" not in json.dumps(made)


def test_generated_again_a_shard_lists_its_images_once_and_a_limit_keeps_what_bench_limit_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchrouter.sdk import select

    root, data = tmp_path / "swe-bench-pro", write(tmp_path / "data.jsonl", [row(number) for number in range(32)])
    generate(root, data)
    everything = instances(root)
    done = generate(root, "--limit", "2", data)
    assert done.stdout == "16 of 32 instances in 8 shards; images: 16\n"
    monkeypatch.setenv("BENCH_LIMIT", "2")
    for shard in range(1, 9):
        expected = select([each for each in everything if each["shard"] == shard], id=lambda each: each["instance_id"])
        assert [each for each in instances(root) if each["shard"] == shard] == expected
        task, _ = load_task(root / f"shard-{shard}" / "task.yaml")
        assert task.docker_images == tuple(sorted(f"jefzda/sweap-images:{each['dockerhub_tag']}" for each in expected))
        assert task.command == f"python3 bridge.py {shard}"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row(n) for n in range(7)], "7 instances are too few for 8 shards"),
        ([row(n // 2) for n in range(20)], "instance_o__r-00 is there twice"),
        ([row(n, dockerhub_tag="a b") for n in range(9)], "row 1: 'a b' is no tag of an image"),
        ([row(n, base_commit="") for n in range(9)], "row 1 (instance_o__r-00): no `base_commit`; the columns are"),
    ],
)
def test_a_data_set_that_is_none_is_one_clear_line(tmp_path: Path, rows: list[dict[str, Any]], message: str) -> None:
    done = generate(tmp_path / "swe-bench-pro", write(tmp_path / "data.jsonl", rows))
    assert done.returncode == 1
    assert message in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "swe-bench-pro/environments/swe-bench-pro/instances.jsonl").exists()


def test_an_empty_shard_says_to_generate_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bridge = module("swe-bench-pro", "bridge", monkeypatch)
    listed = tmp_path / "instances.jsonl"
    listed.write_text(json.dumps({"shard": 2, "instance_id": "x"}) + "\n")
    monkeypatch.setattr(bridge, "INSTANCES", listed)
    monkeypatch.setattr(bridge, "HARNESS", tmp_path)
    (tmp_path / "run_scripts").mkdir()
    (tmp_path / "swe_bench_pro_eval.py").touch()
    with pytest.raises(SystemExit, match=r"shard 1 has no instances: `python3 code/generate.py FILE`"):
        bridge.main(1)


def test_what_newer_harnesses_set_aside_is_an_error_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They leave it out of eval_results.json; older ones say False for it, without a report of tests."""
    bridge = module("swe-bench-pro", "bridge", monkeypatch)
    monkeypatch.setattr(bridge, "WORK", tmp_path)
    for name in ("good", "bad"):
        (tmp_path / "out" / name).mkdir(parents=True)
        (tmp_path / "out" / name / "benchrouter_output.json").write_text("{}")
    said = "Running local-docker evaluation for aside\nEvaluation for aside could not run: no image\n"
    resolved = {"good": True, "bad": False, "lost": False}
    assert bridge.verdict("good", resolved, said) == {"score": 1}
    assert bridge.verdict("bad", resolved, said) == {"score": 0}
    reason = "the harness ran no tests to a report: "
    assert bridge.verdict("aside", resolved, said) == {"error": f"{reason}Evaluation for aside could not run: no image"}
    assert bridge.verdict("lost", resolved, said) == {"error": f"{reason}it says nothing of it"}


@dataclass(frozen=True)
class Evaluated:
    """What MCP-Universe gives for an evaluator."""

    passed: bool
    error: str = ""


@pytest.mark.parametrize(
    ("evaluations", "said", "record"),
    [
        ([Evaluated(True), Evaluated(True)], "", {"score": 1, "passed": 2, "evaluators": 2}),
        ([Evaluated(True), Evaluated(False)], "Error: once", {"score": 0, "passed": 1, "evaluators": 2}),
        ([Evaluated(False, "no\nKeyError: 'price'")], "", {"score": 0, "passed": 0, "evaluators": 1}),
        (
            [Evaluated(True), Evaluated(False, "x\nrequests.exceptions.ConnectionError: no route\n")],
            "",
            {"error": "not evaluated: requests.exceptions.ConnectionError: no route"},
        ),
        ([Evaluated(False)], "Error: 401\n" * 5, {"error": "not evaluated: the judge failed: 401"}),
        ([], "", {"error": "not evaluated: the task has no evaluator"}),
    ],
)
def test_an_evaluator_of_mcp_universe_that_reached_nothing_has_judged_nothing(
    evaluations: list[Evaluated], said: str, record: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
    assert module("mcp-universe", "bridge", monkeypatch).verdict(evaluations, said) == record


@pytest.mark.parametrize(
    ("result", "record"),
    [
        (None, {"error": "not in the results of xbench-evals"}),
        ({"score": "1"}, {"score": 1.0, "repeats_judged": 1, "cut_off": 0}),
        ({"score": "0", "exceed-length": "Y"}, {"score": 0.0, "repeats_judged": 1, "cut_off": 1}),
        ({"score": "0", "error": "Y"}, {"error": "endpoint: the request for an answer failed"}),
        ({"score": "0", "score-reason": "Judge Response error"}, {"error": "judge"}),
    ],
)
def test_a_zero_of_xbench_is_one_only_where_it_was_judged(
    result: dict[str, str] | None, record: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("score", "score-reason", "exceed-length", "content-filter", "error")
    given = {f"{name}-1": result.get(name, "") for name in names} if result is not None else None
    assert module("xbench", "bridge", monkeypatch).record("q", given, 1, "judge") == {"id": "q", **record}
