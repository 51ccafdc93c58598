"""Which shipped benchmarks run what a model wrote, and what it reaches then."""

from __future__ import annotations

import re

import pytest
from demo_scores import BENCHMARKS

from benchrouter.spec.benchmark import load_benchmark
from benchrouter.spec.task import load_task

CLOSED = {"humaneval", "agentdojo", "tau2-bench", "pg-sidecar", "pg-dind", "repo-repair", "swe-bench-pro", "webarena"}
OPEN = {"mcpmark", "toolathlon-local", "mcp-universe"}
"""They run what a model wrote, and need the internet for it: their READMEs say what for."""

COMPARED = {"hello", "knowledge", "arc-agi", "bfcl", "browsecomp", "lmms-eval", "xbench"}
"""Answers are data there."""

SHIPPED = {path.parent.name for path in BENCHMARKS.glob("*/benchmark.yaml")}
TABLE = (BENCHMARKS / "README.md").read_text().split("## What a model wrote is run where")[1]


def networks(name: str) -> set[str]:
    benchmark, _ = load_benchmark(BENCHMARKS / name)
    return {load_task(BENCHMARKS / name / task.name / "task.yaml")[0].network for task in benchmark.tasks}


def test_a_new_benchmark_says_whether_it_runs_what_a_model_wrote() -> None:
    assert SHIPPED == CLOSED | OPEN | COMPARED
    assert len(SHIPPED) == len(CLOSED) + len(OPEN) + len(COMPARED)


@pytest.mark.parametrize("name", sorted(CLOSED))
def test_patches_of_swe_bench_pro_ran_with_the_network_open(name: str) -> None:
    assert networks(name) == {"bridge"}


@pytest.mark.parametrize("name", sorted(OPEN))
def test_a_network_that_stays_open_is_explained(name: str) -> None:
    assert networks(name) == {"host"}
    assert re.search(r"^\| network \| open: .{20,}\|$", (BENCHMARKS / name / "README.md").read_text(), re.MULTILINE)


def test_the_table_says_the_same() -> None:
    rows = re.findall(r"^\| [^|]+ \| ([\w, -]+) \| (`bridge`|open: )", TABLE.split("\n## ")[0], re.MULTILINE)
    said = {name: network.strip("`: ") for names, network in rows for name in names.split(", ")}
    assert said == {**dict.fromkeys(CLOSED, "bridge"), **dict.fromkeys(OPEN, "open")}
    for name in COMPARED:
        assert re.search(rf"\b{name}\b", TABLE.split("The others")[1].split("\n\n")[0])


def test_suites_of_swe_bench_pro_have_no_network_unless_asked_for() -> None:
    for task in (BENCHMARKS / "swe-bench-pro").glob("shard-*/task.yaml"):
        assert load_task(task)[0].extra_env["SWE_BENCH_PRO_BLOCK_NETWORK"] == "1"
