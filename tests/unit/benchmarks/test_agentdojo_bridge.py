"""What of AgentDojo can be held without its package: the answer file, the stand-ins, the shape of the bridge."""

from __future__ import annotations

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from demo_scores import BENCHMARKS, answer_lines

CODE = BENCHMARKS / "agentdojo" / "code"
USER_TASKS = {"workspace": 40, "travel": 20, "banking": 16, "slack": 21}
NOTHING_IS_RIGHT = {"user_task_5", "user_task_8", "user_task_9", "user_task_10"}
"""User tasks of banking whose check is content with an agent that does nothing."""


def lines_of(suite: str) -> list[dict[str, Any]]:
    return [line for line in answer_lines("agentdojo") if line["task"] == suite]


@pytest.mark.parametrize("suite", USER_TASKS)
def test_answers_are_there_for_every_user_task_in_the_order_of_selection(suite: str) -> None:
    asked = [f"user_task_{number}" for number in range(USER_TASKS[suite])]
    asked.sort(key=lambda item: sha256(f"0:{item}".encode()).hexdigest())
    assert [line["item"] for line in lines_of(suite)] == asked
    questions = [line["question"] for line in answer_lines("agentdojo")]
    assert len(set(questions)) == len(questions)


@pytest.mark.parametrize("suite", USER_TASKS)
def test_answers_call_tools_in_fewer_rounds_than_agentdojo_allows_and_end_with_words(suite: str) -> None:
    for line in lines_of(suite):
        *rounds, last = line["answer"]
        assert 1 <= len(rounds) < 15
        assert isinstance(last, str) and last
        assert all(call["name"] for turn in rounds for call in turn["tool_calls"])


def test_a_wrong_answer_does_something_only_where_nothing_would_be_right() -> None:
    acting = {(line["task"], line["item"]) for line in answer_lines("agentdojo") if "wrong" in line}
    assert acting == {("banking", item) for item in NOTHING_IS_RIGHT}
    always_right = {"user_task_5", "user_task_8"}  # whatever is done: they must not be wrong on purpose
    wrong = [line["item"] for place, line in enumerate(lines_of("banking"), 1) if place in (1, 10, 15)]
    assert not always_right & set(wrong)


def test_the_bridge_is_short_and_shared_by_links() -> None:
    assert len((CODE / "bridge.py").read_text().splitlines()) < 80
    for suite in USER_TASKS:
        for name in ("bridge.py", "agent.py", "vendors.py"):
            assert (BENCHMARKS / "agentdojo" / suite / name).readlink() == Path("../code") / name


def test_stand_ins_serve_what_agentdojo_imports_and_nothing_else() -> None:
    script = """
import json, vendors
from google import genai
from google.genai import types as genai_types
from google.genai.errors import ClientError, ServerError
import cohere.core.api_error, anthropic.types.text_block_param
assert issubclass(ClientError, Exception) and ClientError is not ServerError
assert not isinstance(genai_types, type) and isinstance(genai_types.Schema, type)
try:
    import no_such_vendor
except ModuleNotFoundError:
    print(json.dumps("as ever"))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=CODE, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == "as ever"
