"""Readers of a data volume share it, a writer has it alone; nobody waits while holding another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchrouter.store import volumes
from benchrouter.store.problems import StoreError
from benchrouter.store.volumes import try_volumes


def test_many_read_and_one_writes(tmp_path: Path) -> None:
    first, second = try_volumes([(tmp_path, False)]), try_volumes([(tmp_path, False)])
    assert first is not None and second is not None
    assert try_volumes([(tmp_path, True)]) is None
    first.close()
    assert try_volumes([(tmp_path, True)]) is None
    second.close()
    writer = try_volumes([(tmp_path, True)])
    assert writer is not None
    assert try_volumes([(tmp_path, False)]) is None
    writer.close()
    assert try_volumes([(tmp_path, False)]) is not None


def test_all_or_none(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    held = try_volumes([(two, True)])
    assert held is not None
    assert try_volumes([(one, True), (two, True)]) is None
    other = try_volumes([(one, True)])  # the failed attempt has let go of it
    assert other is not None
    other.close()
    held.close()
    assert try_volumes([]) is not None


def test_where_no_locks_are_only_reading_is_possible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unable(*_: object, **__: object) -> bool:
        raise StoreError("no locks here")

    monkeypatch.setattr(volumes, "try_flock", unable)
    assert try_volumes([(tmp_path, False)]) is not None
    with pytest.raises(StoreError, match=f"{tmp_path} lies on a file system without file locks"):
        try_volumes([(tmp_path, True)])


def test_one_that_has_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        try_volumes([(tmp_path / "gone", False)])
