"""What hello's tasks share, tried in this machine's shell: which questions are asked, and when there is no score."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path

import pytest
from demo_scores import BENCHMARKS

HELLO = BENCHMARKS / "hello"
IDS = [line.split("|")[0] for line in (HELLO / "capitals" / "questions.txt").read_text().splitlines()]
QUIZ = '. ./quiz.sh; normal() { echo "$1"; }; ask() { echo "$SAID"; }; quiz "Answer."'


def quiz(place: Path, said: str, **variables: str) -> subprocess.CompletedProcess[str]:
    path = f"{HELLO / 'environments' / 'hello'}:{os.environ['PATH']}"
    environment = {"PATH": path, "BENCHROUTER_OUTPUT_DIR": str(place), "SAID": said, **variables}
    command = ["sh", "-euc", QUIZ]
    return subprocess.run(
        command, cwd=HELLO / "capitals", env=environment, capture_output=True, text=True, check=False
    )


def asked(place: Path, **variables: str) -> list[str]:
    done = quiz(place, "Oslo", **variables)
    assert done.returncode == 0, done.stderr
    return [item["id"] for item in json.loads((place / "result.json").read_text())["items"]]


def in_order(seed: str) -> list[str]:
    return sorted(IDS, key=lambda id: hashlib.sha256(f"{seed}:{id}".encode()).hexdigest())


@pytest.mark.parametrize("limit", ["0", "-1", "abc", "1.5", "", " ", "00", "1e3"])
def test_a_bad_limit_ends_hello_with_2_and_one_line(tmp_path: Path, limit: str) -> None:
    done = quiz(tmp_path, "Oslo", BENCH_LIMIT=limit)
    assert done.returncode == 2
    assert done.stderr == f"BENCH_LIMIT={limit}: expected a whole number of at least 1\n"
    assert list(tmp_path.iterdir()) == []


def test_hello_asks_in_the_documented_order(tmp_path: Path) -> None:
    assert asked(tmp_path) == asked(tmp_path, BENCH_SEED="") == in_order("0")
    assert asked(tmp_path, BENCH_LIMIT=" 03 ", BENCH_SEED="7") == in_order("7")[:3]
    assert asked(tmp_path, BENCH_LIMIT="99999999999999999999") == in_order("0")


@pytest.mark.parametrize("said", ["", " \n\t"])
def test_nothing_said_in_any_answer_is_no_score(tmp_path: Path, said: str) -> None:
    done = quiz(tmp_path, said, BENCH_LIMIT="4")
    assert (done.returncode, done.stderr) == (75, "endpoint: nothing is said in any of 4 answers\n")
    assert list(tmp_path.iterdir()) == []
