from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from benchrouter.store.atomic import make_dirs, move_dir, publish_dir, remove_dir, write_atomic


def whole(path: Path) -> bool:
    return (path / "whole").exists()


def staged(tmp_path: Path, content: str = "new") -> Path:
    staging = tmp_path / "staging"
    (staging / "sub").mkdir(parents=True)
    (staging / "whole").write_text(content)
    (staging / "sub" / "link").symlink_to("/nowhere")
    return staging


def test_write_atomic_replaces_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    for data in (b"one", b"", b"three"):
        write_atomic(path, data)
        assert path.read_bytes() == data
    assert [entry.name for entry in tmp_path.iterdir()] == ["file.json"]


def test_write_atomic_that_fails_keeps_the_old_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    with pytest.raises(OSError):
        write_atomic(tmp_path / "target", b"data")
    assert [entry.name for entry in tmp_path.iterdir()] == ["target"]


def test_published_files_have_the_modes_that_the_umask_gives(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        write_atomic(tmp_path / "file", b"x")
    finally:
        os.umask(old)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("durable", [True, False])
def test_publish_into_directories_that_do_not_exist(tmp_path: Path, durable: bool) -> None:
    target = tmp_path / "a" / "b" / "target"
    assert publish_dir(staged(tmp_path), target, valid=whole, durable=durable)
    assert (target / "whole").read_text() == "new" and not (tmp_path / "staging").exists()


def test_a_valid_target_is_kept_and_the_staging_removed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "whole").write_text("old")
    assert not publish_dir(staged(tmp_path), target, valid=whole)
    assert (target / "whole").read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["target"]


@pytest.mark.parametrize("swaps", [True, False])
def test_a_valid_target_is_replaced_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swaps: bool
) -> None:
    if not swaps:  # as on a file system that cannot
        monkeypatch.setattr("benchrouter.store.atomic.exchange", lambda *_: False)
    target = tmp_path / "target"
    target.mkdir()
    (target / "whole").write_text("old")
    assert publish_dir(staged(tmp_path), target, valid=whole, replace=True)
    assert (target / "whole").read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["target"]


def test_everything_is_on_disk_before_it_appears(tmp_path: Path) -> None:
    """Watched through the real calls: each file and directory is flushed, then renamed, then the parent flushed."""
    calls: list[str] = []
    fsync = os.fsync

    watching = True  # a hook cannot be removed

    def watch(event: str, _: object) -> None:
        if watching and event == "os.rename":
            calls.append("rename")

    def flush(descriptor: int) -> None:
        calls.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        fsync(descriptor)

    sys.addaudithook(watch)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", flush)
        publish_dir(staged(tmp_path), tmp_path / "results" / "target", valid=whole)
    watching = False
    renamed = calls.index("rename")
    assert {"whole", "sub", "staging"} <= set(calls[:renamed])
    assert tmp_path.name in calls[:renamed] and calls[renamed + 1 :] == ["results"]


@pytest.mark.parametrize("kind", ["half", "empty", "file", "dangling link"])
def test_a_torn_target_is_replaced(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "target"
    if kind == "file":
        target.write_text("odd")
    elif kind == "dangling link":
        target.symlink_to("nowhere")
    else:
        target.mkdir()
        if kind == "half":
            (target / "result.json").touch()
    assert publish_dir(staged(tmp_path), target, valid=whole)
    assert (target / "whole").read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["target"]


def test_across_file_systems_it_still_appears_at_once(tmp_path: Path) -> None:
    elsewhere = Path("/dev/shm")
    if not elsewhere.is_dir() or elsewhere.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second file system at hand")
    staging = elsewhere / f"benchrouter-test-{os.getpid()}"
    staged(tmp_path).rename(tmp_path / "model")
    os.system(f"cp -a '{tmp_path}/model' '{staging}'")
    assert publish_dir(staging, tmp_path / "target", valid=whole)
    assert not staging.exists()
    assert (tmp_path / "target" / "sub" / "link").readlink() == Path("/nowhere")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["model", "target"]


def test_move_dir_never_replaces_what_is_there(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "old").touch()
    with pytest.raises(OSError) as raised:
        move_dir(staged(tmp_path), target)
    assert raised.value.errno in (errno.ENOTEMPTY, errno.EEXIST)
    assert (target / "old").exists() and (tmp_path / "staging").exists()


def test_remove_dir_of_what_is_gone_is_fine(tmp_path: Path) -> None:
    remove_dir(tmp_path / "absent")
    make_dirs(tmp_path / "a" / "b")
    remove_dir(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []
