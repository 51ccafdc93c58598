"""What users supply to shipped benchmarks stays theirs."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from demo_scores import BENCHMARKS, ROOT

from benchrouter.spec.benchmark import load_benchmark

SUPPLIED = sorted(
    f"benchmarks/{path.parent.name}/environments/{name}/{supply}"
    for path in BENCHMARKS.glob("*/benchmark.yaml")
    for name, environment in load_benchmark(path.parent)[0].environments.items()
    for supply in environment.supplied
)


def test_the_source_of_webarena_would_have_been_committed() -> None:
    """Every supplied path is ignored by git, as a directory of that name and as a file in it."""
    assert len(SUPPLIED) >= 7
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no checkout of git")
    asked = [f"{path}/README.md" if "." not in path.rpartition("/")[2] else path for path in SUPPLIED]
    words = ["git", "check-ignore", "--no-index", *asked]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.split() == asked, done.stderr
