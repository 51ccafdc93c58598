"""Trees from outside: what is taken, and every way out of the directory that is refused."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from benchrouter.store import intake
from benchrouter.store.intake import take_in
from benchrouter.store.problems import StoreError

Fill = Callable[[tarfile.TarFile], None]


def _member(name: str, kind: bytes = tarfile.REGTYPE, goal: str = "", data: bytes = b"") -> Fill:
    def add(archive: tarfile.TarFile) -> None:
        info = tarfile.TarInfo(name)
        info.type, info.linkname, info.size, info.mode = kind, goal, len(data), 0o4755
        archive.addfile(info, io.BytesIO(data))

    return add


def _tar(path: Path, *fills: Fill, mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for fill in fills:
            fill(archive)
    return path


def test_a_tar_is_unpacked(tmp_path: Path) -> None:
    """Files with their bit of execution and no other, links inside, a hard link as a copy."""
    source = _tar(
        tmp_path / "t.tgz",
        _member("b/run.sh", data=b"true"),
        _member("b/again.sh", tarfile.LNKTYPE, "b/run.sh"),
        _member("b/task/run.sh", tarfile.SYMTYPE, "../run.sh"),
    )
    take_in(source, tmp_path / "out")
    assert (tmp_path / "out/b/again.sh").read_text() == (tmp_path / "out/b/task/run.sh").read_text() == "true"
    assert (tmp_path / "out/b/run.sh").stat().st_mode & 0o7777 == 0o755


@pytest.mark.parametrize(
    ("fills", "said"),
    [
        ([_member("/etc/passwd")], "leads out"),
        ([_member("../up")], "leads out"),
        ([_member("a/../../up")], "leads out"),
        ([_member("l", tarfile.SYMTYPE, "/etc")], "lies outside"),
        ([_member("a/l", tarfile.SYMTYPE, "../../etc")], "lies outside"),
        ([_member("l", tarfile.SYMTYPE, "d"), _member("l/x")], "behind a link"),
        ([_member("d/f"), _member("h", tarfile.LNKTYPE, "/etc/passwd")], "no file before it"),
        ([_member("h", tarfile.LNKTYPE, "../x")], "no file before it"),
        ([_member("l", tarfile.SYMTYPE, "f"), _member("h", tarfile.LNKTYPE, "l")], "no file before it"),
        ([_member("n", tarfile.CHRTYPE)], "neither a file"),
        ([_member("n", tarfile.FIFOTYPE)], "neither a file"),
        ([_member("f"), _member("f")], "there twice"),
        ([_member("/".join("d" * 80))], "directories deep"),
    ],
)
def test_an_unsafe_member_is_refused(tmp_path: Path, fills: list[Fill], said: str) -> None:
    """The message names the member; nothing appears outside of the fresh directory."""
    with pytest.raises(StoreError, match=said):
        take_in(_tar(tmp_path / "t.tar", *fills, mode="w"), tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "t.tar"]


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes and files are counted while they are written, whatever the archive says of itself."""
    monkeypatch.setattr(intake, "MOST_BYTES", 5 << 20)
    with pytest.raises(StoreError, match="GiB in all"):
        take_in(_tar(tmp_path / "t.tgz", *(_member(f"f{n}", data=bytes(3 << 20)) for n in range(2))), tmp_path / "a")
    monkeypatch.setattr(intake, "LEAST_FREE", 1 << 60)
    with pytest.raises(StoreError, match="would fill the disk"):
        take_in(_tar(tmp_path / "v.tgz", _member("f", data=b"x")), tmp_path / "c")
    monkeypatch.setattr(intake, "LEAST_FREE", 0)
    monkeypatch.setattr(intake, "MOST_FILES", 3)
    with pytest.raises(StoreError, match="one file too many"):
        take_in(_tar(tmp_path / "u.tgz", *(_member(f"f{n}") for n in range(4))), tmp_path / "b")


def test_a_header_that_fills_the_memory_is_refused(tmp_path: Path) -> None:
    """A name of 8 MiB is no name."""
    source = _tar(tmp_path / "t.tgz", _member("x", tarfile.XHDTYPE, data=bytes(8 << 20)))
    with pytest.raises(StoreError, match="header of more than 1 MiB"):
        take_in(source, tmp_path / "out")


@pytest.mark.parametrize("data", [b"", b"no tar at all" * 100, b"\x28\xb5\x2f\xfd broken"])
def test_what_is_no_tar_is_said_to_be_none(tmp_path: Path, data: bytes) -> None:
    """One message, whatever the file holds."""
    (tmp_path / "t").write_bytes(data)
    if data:
        with pytest.raises(StoreError, match=r"tar that can be read"):
            take_in(tmp_path / "t", tmp_path / "out")


def test_a_fifo_in_place_of_a_tar_was_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.tar")
    with pytest.raises(StoreError, match=r"x\.tar.*no regular file"):
        take_in(tmp_path / "x.tar", tmp_path / "taken")


def test_a_directory_is_copied_without_git(tmp_path: Path) -> None:
    """Links inside stay links; a FIFO or a link that leaves is refused."""
    source = tmp_path / "b"
    (source / ".git").mkdir(parents=True)
    (source / "code").mkdir()
    (source / "code" / "run.sh").write_text("true")
    (source / "task").mkdir()
    (source / "task" / "run.sh").symlink_to("../code/run.sh")
    (source / "linked").symlink_to("code")
    take_in(source, tmp_path / "out")
    assert (tmp_path / "out/linked").readlink() == Path("code")
    assert (tmp_path / "out/task/run.sh").readlink() == Path("../code/run.sh")
    assert not (tmp_path / "out/.git").exists()
    (source / "up").symlink_to("../..")
    with pytest.raises(StoreError, match="lies outside"):
        take_in(source, tmp_path / "out2")
    (source / "up").unlink()
    os.mkfifo(source / "pipe")
    with pytest.raises(StoreError, match="neither a file"):
        take_in(source, tmp_path / "out3")
