"""Aliases are written into a file that people edit too: everything else stays byte for byte."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import yaml

from benchrouter.engine.local_settings import LocalSettingsError, add_alias, with_alias

CASES = {
    "empty": "",
    "only a comment": "# mine\n",
    "other keys": "models:\n  a: {endpoint: http://x/v1}\n",
    "no final newline": "pass_env: [HF_TOKEN]",
    "empty site": "site:\n",
    "empty site with a comment": "site: # facts\npass_env: []\n",
    "empty flow site": "site: {}\n",
    "site with others": "# top\nsite:\n    build_parallel: 3  # cores\n\n    ca_bundle: /x\nmodels: {}\n",
    "empty aliases": "site:\n  image_aliases:\n  build_parallel: 2\n",
    "flow aliases": "site:\n  image_aliases: {}   # none yet\n",
    "aliases": "site:\n  image_aliases:\n    # by hand\n    debian:12: mine:1\n  build_parallel: 2\n",
    "replaced": "site:\n  image_aliases:\n    python:3.12-slim: old:1  # was\n",
}


@pytest.mark.parametrize("before", CASES.values(), ids=CASES.keys())
def test_alias_is_added_and_nothing_else_changes(before: str) -> None:
    after = with_alias(before, "python:3.12-slim", "stand-in:1")
    expected = yaml.safe_load(before) or {}
    site = expected.get("site") or {}
    aliases = {**(site.get("image_aliases") or {}), "python:3.12-slim": "stand-in:1"}
    assert yaml.safe_load(after) == {**expected, "site": {**site, "image_aliases": aliases}}
    for comment in (line[line.index("#") :].rstrip() for line in before.splitlines() if "#" in line):
        assert comment in after


def test_what_cannot_be_edited_is_said_with_the_line_to_add() -> None:
    with pytest.raises(LocalSettingsError, match='"a:1": "b:1"'):
        with_alias("site: {build_parallel: 2}\n", "a:1", "b:1")
    with pytest.raises(LocalSettingsError):
        with_alias("- not\n- a mapping\n", "a:1", "b:1")


def test_twice_changes_nothing(tmp_path: Path) -> None:
    assert add_alias(tmp_path, "a:1", "b:1")
    assert not add_alias(tmp_path, "a:1", "b:1")


def test_two_at_once_lose_nothing(tmp_path: Path) -> None:
    threads = [threading.Thread(target=add_alias, args=(tmp_path, f"a:{n}", f"b:{n}")) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    written = yaml.safe_load((tmp_path / "benchrouter.local.yaml").read_text())
    assert written["site"]["image_aliases"] == {f"a:{n}": f"b:{n}" for n in range(8)}
