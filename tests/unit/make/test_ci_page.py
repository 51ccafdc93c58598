"""docs/ci.md: its jobs are YAML, carry the archive and nothing else of the cache, and call commands that there are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchrouter.make.variables import parse
from benchrouter.store import layout
from benchrouter.store.workspace import Workspace

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
GITHUB, GITLAB = (yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
STEPS: list[dict[str, Any]] = GITHUB["jobs"]["evaluate"]["steps"]
ARCHIVE = str(layout.images_dir(Workspace(ROOT)).relative_to(ROOT))


def commands() -> list[list[str]]:
    """List the words after `doit` or `./doitw` of every command on the page."""
    return [match.split() for match in re.findall(r"(?:\./doitw|^\$ doit) ([^)#>\n\"`]+)", PAGE, re.MULTILINE)]


def test_the_archive_is_what_is_carried() -> None:
    cached = [step["with"]["path"] for step in STEPS if "cache" in step.get("uses", "")]
    assert cached == [ARCHIVE, ARCHIVE]
    assert GITLAB["evaluate"]["cache"]["paths"] == [ARCHIVE]


def test_restored_before_the_run_and_saved_after_it() -> None:
    order = [step.get("uses", step.get("run", "")).partition("@")[0] for step in STEPS]
    places = [order.index(word) for word in ("actions/cache/restore", "./doitw run model=demo", "actions/cache/save")]
    assert places == sorted(places)


@pytest.mark.parametrize("words", commands())
def test_every_command_is_one_of_ours(words: list[str]) -> None:
    known = {"run", "cachekey", "image", "clean"}
    assert words[0] in known
    parse(dict(word.split("=", 1) for word in words if "=" in word), {})


def test_there_are_commands_on_the_page() -> None:
    assert len(commands()) >= 7
