"""What is in a data volume is read once, and again only when something was touched."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from benchrouter.keys import data
from benchrouter.keys.cache import StatCache
from benchrouter.keys.data import content_of, signature_now
from benchrouter.keys.environment import environment_facts
from benchrouter.spec.benchmark import EnvironmentOptions
from benchrouter.spec.problems import SpecError


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    hub = tmp_path / "hub"
    (hub / "blobs").mkdir(parents=True)
    (hub / "blobs" / "1").write_text("one")
    (hub / "name").symlink_to("blobs/1")
    (hub / "away").symlink_to("/nowhere")
    return hub


def test_content_counts_and_times_and_place_do_not(hub: Path, tmp_path: Path) -> None:
    cache = StatCache(tmp_path / "none", tmp_path)
    first, _ = content_of(hub, cache)
    os.utime(hub / "blobs" / "1", (1, 1))
    moved = hub.rename(tmp_path / "moved")
    assert content_of(moved, cache)[0] == first
    (moved / "blobs" / "1").write_text("two")
    assert content_of(moved, cache)[0] != first


def test_what_was_read_is_not_read_again(hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = StatCache(tmp_path / "none", tmp_path)
    cache.grain = 0
    time.sleep(0.02)
    first = content_of(hub, cache)
    monkeypatch.setattr(data, "hash_tree", None)  # would fail if it were asked
    assert content_of(hub, cache) == first
    assert signature_now(hub) == first[1]
    (hub / "new").touch()
    assert signature_now(hub) != first[1]


def test_a_pipe_has_no_content(hub: Path, tmp_path: Path) -> None:
    os.mkfifo(hub / "pipe")
    with pytest.raises(SpecError, match="is a FIFO"):
        content_of(hub, StatCache(tmp_path / "none", tmp_path))


def test_supplied_paths_are_there_when_a_builder_would_see_something(tmp_path: Path) -> None:
    root = tmp_path / "environments" / "e"
    (root / "empty").mkdir(parents=True)
    (root / "full").mkdir()
    (root / "full" / "file").touch()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").touch()
    (root / "linked").symlink_to(tmp_path / "elsewhere")
    (root / "inner").symlink_to("full")
    (root / "Dockerfile").write_text("FROM scratch\n")
    options = EnvironmentOptions(supplied=("Dockerfile", "empty", "full", "linked", "inner", "no/such"))
    facts = environment_facts(root, options, StatCache(tmp_path / "none", tmp_path))
    assert facts.lacking() == ("empty", "linked", "no/such")
    (root / "empty" / "file").touch()
    assert facts.lacking() == ("linked", "no/such")
