"""Without an engine or a network, the plan of a published benchmark names what is missing and how to get it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from demo_scores import BENCHMARKS

from benchrouter.make.workspace_files import write_workspace_files
from benchrouter.spec.benchmark import load_benchmark

TABLE = (BENCHMARKS / "README.md").read_text(encoding="utf-8").split("## The published set")[1].split("\n## ")[0]
PUBLISHED = re.findall(r"^\| \[([\w-]+)\]", TABLE, re.MULTILINE)


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> str:
    root = tmp_path_factory.mktemp("published")
    write_workspace_files(root, None)
    for name in PUBLISHED:
        supplied = [path for one in load_benchmark(BENCHMARKS / name)[0].environments.values() for path in one.supplied]
        shutil.copytree(BENCHMARKS / name, root / "benchmarks" / name, ignore=shutil.ignore_patterns(*supplied))
    done = subprocess.run(
        [str(Path(sys.executable).with_name("doit")), "plan", "model=demo", f"bench={','.join(PUBLISHED)}"],
        cwd=root,
        env={**os.environ, "DOCKER_HOST": "unix:///nowhere/docker.sock"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "engine not asked" in done.stdout and not done.stderr
    return done.stdout


def test_the_table_names_those_that_need_much() -> None:
    assert {"mcpmark", "webarena", "toolathlon-local"} <= set(PUBLISHED)


@pytest.mark.parametrize("name", PUBLISHED)
def test_each_hint_is_said_of_what_is_missing(plan: str, name: str) -> None:
    benchmark, _ = load_benchmark(BENCHMARKS / name)
    assert benchmark.obtain
    for missing, hint in benchmark.obtain.items():
        if "*" in missing:
            continue  # of images that a generator names
        (line,) = (each for each in plan.splitlines() if each.endswith(f"; to get it: {hint.text}"))
        assert re.search(rf"(`|base:){re.escape(missing)}(`| )", line), line


@pytest.mark.parametrize("name", PUBLISHED)
def test_nothing_is_supplied_by_the_user_without_a_hint(name: str) -> None:
    benchmark, _ = load_benchmark(BENCHMARKS / name)
    supplied = {path for environment in benchmark.environments.values() for path in environment.supplied}
    assert supplied <= set(benchmark.obtain)
