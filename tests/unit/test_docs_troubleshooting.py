"""docs/troubleshooting.md: every reason has its section, and every message on it can really be said."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from benchrouter.store.states import JobState, Reason, RunState

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
TABLES = TEXT.split("## Before anything runs")[1]
MESSAGES = re.findall(r"^\| `([^`]+)` \|", TABLES, re.MULTILINE)


@cache
def said() -> tuple[str, ...]:
    """Give every text of the package, with `…` for what is filled in, without the quotes of what is typed."""
    return tuple(text.replace("`", "") for text in texts())


def texts() -> Iterator[str]:
    """Give every text as it stands there."""
    for path in (ROOT / "benchrouter").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def test_every_reason_has_a_section_in_the_order_of_the_list() -> None:
    assert re.findall(r"^### `(\w+)`", TEXT, re.MULTILINE) == [reason.word for reason in Reason]


@pytest.mark.parametrize("reason", Reason, ids=lambda reason: reason.word)
def test_what_is_tried_again_is_marked(reason: Reason) -> None:
    section = TEXT.split(f"### `{reason.word}`")[1].split("#")[0].strip()
    assert section and section.startswith("↻") is reason.retried


def test_the_first_five_are_the_task_s_own() -> None:
    assert [reason.infrastructure for reason in Reason] == [False] * 5 + [True] * (len(Reason) - 5)
    assert len(Reason) == 13 and "thirteen reasons" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("word", [*(state.value for state in JobState), *(state.value for state in RunState)])
def test_every_state_is_named(word: str) -> None:
    assert word in TEXT


@pytest.mark.parametrize("message", MESSAGES)
def test_every_message_occurs_in_the_source(message: str) -> None:
    pattern = re.compile(".*".join(map(re.escape, message.strip("…").split("…"))), re.DOTALL)
    assert any(pattern.search(text) for text in said())


def test_there_are_messages() -> None:
    assert len(MESSAGES) > 60
