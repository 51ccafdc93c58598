"""Once everything is up to date nothing runs again, whatever happens to times, places and doit's own state."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest
from project import SCORE, Done, Project, contents, files_below

NO_ENGINE = {"DOCKER_HOST": "tcp://127.0.0.1:1"}


@pytest.fixture(scope="module")
def finished(lasting_project: Project) -> Project:
    """A workspace with two benchmarks whose jobs are all completed; their environments have the same content."""
    lasting_project.benchmark("one", {"a": SCORE % 0.5, "b": SCORE % 1})
    lasting_project.benchmark("two", {"c": SCORE % 0.25})
    assert len(lasting_project.ran(lasting_project.run())) == 3
    return lasting_project


def nothing_ran(project: Project, done: Done) -> bool:
    """Tell whether a run started nothing and still showed the scores."""
    return project.ran(done) == [] and "started" not in done.out and "overall 0.7500" in done.out


def test_again_without_an_engine_in_about_a_second(finished: Project) -> None:
    """The second run talks to no engine; the bound leaves room for a busy machine."""
    before = contents(finished.root / "results")
    began = time.monotonic()
    assert nothing_ran(finished, finished.run(env=NO_ENGINE))
    assert time.monotonic() - began < 6
    assert contents(finished.root / "results") == before
    assert len(list((finished.root / "runs").iterdir())) == 1

    # touch
    for path in files_below(finished.root, "benchmarks", "results"):
        os.utime(path)
    assert nothing_ran(finished, finished.run(env=NO_ENGINE))
    # mtimes of a restored backup
    for path in files_below(finished.root, "benchmarks"):
        os.utime(path, (1, 1))
    assert nothing_ran(finished, finished.run(env=NO_ENGINE))
    # everything that can be made again is gone, doit's state included
    for name in ("cache", "runs"):
        shutil.rmtree(finished.root / name)
    for path in finished.root.glob(".doit.db*"):
        path.unlink()
    assert nothing_ran(finished, finished.run(env=NO_ENGINE))
    # torn caches
    for path in files_below(finished.root, "cache"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert nothing_ran(finished, finished.run(env=NO_ENGINE))
    assert contents(finished.root / "results") == before


def test_another_current_directory(finished: Project, tmp_path: Path) -> None:
    """The wrapper hands over where the person stands; relative paths of benchmarks are meant from there."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert nothing_ran(finished, finished.run(env={**NO_ENGINE, "BENCHROUTER_CWD": str(elsewhere)}))
    below = {**NO_ENGINE, "BENCHROUTER_CWD": str(finished.root / "benchmarks")}
    done = finished.run("bench=./two", env=below)
    assert finished.ran(done) == [] and "overall 0.2500" in done.out and "one @" not in done.out


def test_a_clone_elsewhere_with_the_results_copied(finished: Project, tmp_path: Path) -> None:
    """Results carry the state along; nothing in a key or an artifact knows the path of the workspace."""
    clone = Project.make(tmp_path / "another place" / "clone")
    shutil.rmtree(clone.root / "benchmarks")
    for name in ("benchmarks", "results"):
        shutil.copytree(finished.root / name, clone.root / name, copy_function=shutil.copyfile)
    assert nothing_ran(clone, clone.run(env=NO_ENGINE))
    assert contents(clone.root / "results") == contents(finished.root / "results")


def test_another_aggregation_runs_no_job(finished: Project) -> None:
    """The rule is no part of what a job is: scores are made anew from what is there."""
    declared = finished.root / "benchmarks" / "one" / "benchmark.yaml"
    before = declared.read_text()
    try:
        for rule, shown in (("min", "0.5000 (min)"), ("{weighted: {a: 1, b: 3}}", "0.8750 (weighted)")):
            declared.write_text(f"{before}aggregate: {rule}\n")
            done = finished.run(env=NO_ENGINE)
            assert finished.ran(done) == [] and f"overall {shown} · coverage 2/2" in done.out
        (headline,) = (finished.root / "results" / "one").glob("*/aggregate.json")
        written = json.loads(headline.read_text())
        assert (written["overall"], written["aggregate"]) == (0.875, {"weighted": {"a": 1.0, "b": 3.0}})
    finally:
        declared.write_text(before)
    assert nothing_ran(finished, finished.run(env=NO_ENGINE))
