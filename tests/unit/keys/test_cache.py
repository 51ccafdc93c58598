"""The stat cache: never wrong, whatever lies on the disk."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from benchrouter.keys.cache import StatCache, sweep

OLD = 1_000


def kept(tmp_path: Path) -> StatCache:
    cache = StatCache.load(tmp_path / "hashes", tmp_path)
    cache.keep("tasks", "t", ["sig", "data"], newest=OLD, looked=time.time_ns())
    cache.save()
    return cache


def test_a_record_survives(tmp_path: Path) -> None:
    kept(tmp_path)
    assert StatCache.load(tmp_path / "hashes", tmp_path).get("tasks", "t") == ["sig", "data"]


@pytest.mark.parametrize("late", [-1_999_999_999, 0, 10**12])
def test_a_racily_fresh_stat_is_not_trusted(tmp_path: Path, late: int) -> None:
    """A change right after the reading can leave the stats as they are; a time in the future says nothing."""
    cache, looked = kept(tmp_path), time.time_ns()
    cache.keep("tasks", "t", ["sig2", "data"], newest=looked + late, looked=looked)
    assert cache.get("tasks", "t") is None
    cache.save()
    assert StatCache.load(tmp_path / "hashes", tmp_path).get("tasks", "t") is None


@pytest.mark.parametrize(
    "damage", [lambda d: d[:-1], lambda _: b"", lambda d: d.replace(b"data", b"date"), lambda _: b"\xff" * 99,
               lambda _: b"{}", lambda d: d + b" "]
)  # fmt: skip
def test_a_torn_or_foreign_cache_counts_as_empty(tmp_path: Path, damage: object) -> None:
    path = kept(tmp_path).path
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    assert StatCache.load(tmp_path / "hashes", tmp_path).get("tasks", "t") is None


def test_a_cache_of_another_root_counts_as_empty(tmp_path: Path) -> None:
    path = kept(tmp_path).path
    other = StatCache.load(tmp_path / "hashes", tmp_path / "other")
    other.path.write_bytes(path.read_bytes())
    assert StatCache.load(tmp_path / "hashes", tmp_path / "other").get("tasks", "t") is None


def test_nothing_new_is_not_written(tmp_path: Path) -> None:
    path = kept(tmp_path).path
    path.unlink()
    again = StatCache.load(tmp_path / "hashes", tmp_path)
    again.save()
    assert not path.exists()


def test_a_cache_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "hashes").write_text("a file where the directory should be")
    kept(tmp_path)


def test_caches_of_benchmarks_that_are_gone_are_swept(tmp_path: Path) -> None:
    root = tmp_path / "gone"
    cache = StatCache.load(tmp_path / "hashes", root)
    cache.keep("tasks", "t", ["x"], newest=OLD, looked=time.time_ns())
    cache.save()
    kept(tmp_path)
    assert sweep(tmp_path / "hashes") == 1
    assert [p.name for p in (tmp_path / "hashes").iterdir()] == [kept(tmp_path).path.name]
