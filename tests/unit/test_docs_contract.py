"""docs/contract.md: its tables name what a task really gets, its examples are read and run as they stand."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import benchrouter.sdk
from benchrouter.jobs import contract
from benchrouter.models.answers import load_answers
from benchrouter.models.demo import DemoEndpoint
from benchrouter.store.states import Reason

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "contract.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return re.split(r"^#+ ", TEXT.split(f"# {title}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]


def first_column(title: str) -> set[str]:
    rows = re.findall(r"^\| (.+?) \|", section(title), re.MULTILINE)
    return {word for row in rows for word in re.findall(r"`(\w+)", row)}


def test_its_variables_are_those_that_a_job_gets() -> None:
    source = Path(contract.__file__).read_text(encoding="utf-8")
    given = set(re.findall(r'"(BENCHROUTER_\w+|OPENAI_API_KEY|PYTHONPATH)"', source))
    named = {name for name in first_column("Environment variables") if name.isupper()}
    assert given and named == given


def test_its_helpers_are_those_of_the_sdk() -> None:
    assert first_column("Helpers for Python") == set(benchrouter.sdk.__all__)


def test_the_reasons_of_its_table_are_reasons() -> None:
    named = set(re.findall(r"\| `(\w+)`(?:,.*)? \|$", section("The result"), re.MULTILINE))
    assert named - {reason.word for reason in Reason} == set()
    assert {reason.word for reason in Reason if not reason.infrastructure} <= named


@pytest.mark.parametrize("title", ["The result", "Items"])
def test_its_results_are_json(title: str) -> None:
    text = re.findall(r"^    \{.*?\n\n", section(title) + "\n\n", re.DOTALL | re.MULTILINE)[0]
    assert 0 <= json.loads(text)["overall"] <= 1


def test_its_script_runs(tmp_path: Path) -> None:
    script = "\n".join(line[4:] for line in section("Helpers for Python").splitlines() if line.startswith("    "))
    line = {"task": "t", "item": "1", "question": "What is the capital of France?"}
    (tmp_path / "answers.jsonl").write_text(json.dumps({**line, "answer": "Paris", "wrong": "Paris?"}))
    with DemoEndpoint(load_answers({"b": tmp_path})) as endpoint:
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "BENCHROUTER_MODEL_ENDPOINT": endpoint.endpoint_for("b"),
            "BENCHROUTER_MODEL_NAME": "demo",
            "BENCHROUTER_OUTPUT_DIR": str(tmp_path),
        }
        subprocess.run([sys.executable, "-c", script], env=environment, check=True, timeout=60)
    assert json.loads((tmp_path / "result.json").read_text())["overall"] == 1.0
