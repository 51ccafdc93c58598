from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from benchrouter.jobs.collect import Caps, Collected, collect
from benchrouter.jobs.redact import Redactor

NONE = Redactor([])


CAPS = Caps()


def collected(tmp_path: Path, caps: Caps = CAPS, redactor: Redactor = NONE, ended: float | None = None) -> Collected:
    return collect(tmp_path / "in", tmp_path / "out", redactor, caps, ended)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


def tree(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_regular_files_are_taken_with_plain_modes(source: Path, tmp_path: Path) -> None:
    (source / "d").mkdir()
    (source / "d" / "x").write_bytes(b"x")
    (source / "run").write_bytes(b"r")
    (source / "run").chmod(0o4711)
    found = collected(tmp_path)
    assert tree(tmp_path / "out") == {"d/x": b"x", "run": b"r"}
    assert (found.files, found.directories, found.refused) == ({"d/x", "run"}, {"d"}, {})
    assert (tmp_path / "out/run").stat().st_mode & 0o7777 == 0o755
    assert (tmp_path / "out/d/x").stat().st_mode & 0o7777 == 0o644


def test_links_pipes_and_sockets_are_refused_by_kind(source: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("host file")
    (source / "file").symlink_to(tmp_path / "secret")
    (source / "dir").symlink_to(tmp_path)
    os.mkfifo(source / "fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(source / "sock"))
    assert collected(tmp_path).refused == {
        "dir": "is a symbolic link", "fifo": "is a FIFO", "file": "is a symbolic link", "sock": "is a socket",
    }  # fmt: skip
    assert tree(tmp_path / "out") == {}


def test_output_directory_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "in").symlink_to("/etc")
    with pytest.raises(OSError):
        collected(tmp_path)


def test_size_is_capped_also_for_files_with_holes(source: Path, tmp_path: Path) -> None:
    (source / "a").write_bytes(b"x" * 60)
    (source / "b").write_bytes(b"x" * 60)
    with open(source / "hole", "wb") as file:
        file.truncate(1 << 40)
    found = collected(tmp_path, Caps(size=100))
    assert found.files == {"a"} and set(found.refused) == {"b", "hole"}


def test_count_is_capped(source: Path, tmp_path: Path) -> None:
    for i in range(20):
        (source / f"{i:02d}").touch()
    found = collected(tmp_path, Caps(count=10))
    assert len(found.files) == 10 and "more than 10 files" in found.refused["10"]


def test_depth_is_capped(source: Path, tmp_path: Path) -> None:
    (source / "1/2/3").mkdir(parents=True)
    (source / "1/2/x").touch()
    found = collected(tmp_path, Caps(depth=3))
    assert found.files == {"1/2/x"} and "deeper than 3" in found.refused["1/2/3"]


def test_secrets_are_masked_in_contents_and_names(source: Path, tmp_path: Path) -> None:
    (source / "a sk-canary-1.txt").write_bytes(b"\0" * (1 << 20) + b"sk-canary-1")
    (source / "sk-canary-1").mkdir()
    (source / "sk-canary-1/x").touch()
    collected(tmp_path, redactor=Redactor(["sk-canary-1"]))
    assert tree(tmp_path / "out") == {
        "a [redacted].txt": b"\0" * (1 << 20) + b"[redacted]", "[redacted]/x": b"",
    }  # fmt: skip


def test_names_that_masking_makes_equal_do_not_overwrite_each_other(source: Path, tmp_path: Path) -> None:
    (source / "[redacted]").write_bytes(b"first")
    (source / "sk-canary-1").write_bytes(b"second")
    found = collected(tmp_path, redactor=Redactor(["sk-canary-1"]))
    assert tree(tmp_path / "out") == {"[redacted]": b"first"} and "same name" in found.refused["sk-canary-1"]


def test_odd_names_survive(source: Path, tmp_path: Path) -> None:
    names = [b"new\nline", b"\xff\xfe", "é".encode(), b"-rf"]
    for name in names:
        Path(os.fsdecode(os.path.join(os.fsencode(source), name))).touch()
    collected(tmp_path)
    assert sorted(os.listdir(os.fsencode(tmp_path / "out"))) == sorted(names)


def test_file_changed_after_the_end_is_named(source: Path, tmp_path: Path) -> None:
    (source / "x").touch()
    ctime = (source / "x").stat().st_ctime
    assert collected(tmp_path, ended=ctime - 1).late == {"x"}
    (tmp_path / "out/x").unlink()
    (tmp_path / "out").rmdir()
    assert collected(tmp_path, ended=ctime + 1).late == set()


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable_files_are_named(source: Path, tmp_path: Path) -> None:
    (source / "x").touch(mode=0)
    assert "cannot be read" in collected(tmp_path).refused["x"]


def test_descriptors_are_not_leaked(source: Path, tmp_path: Path) -> None:
    (source / "a/b").mkdir(parents=True)
    (source / "a/b/c").symlink_to("/")
    before = len(os.listdir("/proc/self/fd"))
    collected(tmp_path, Caps(depth=2))
    assert len(os.listdir("/proc/self/fd")) == before


def test_holes_in_an_output_stay_holes(source: Path, tmp_path: Path) -> None:
    """A file of 1.6 GB that took no room in the container took 1.6 GB in results."""
    with open(source / "sparse", "wb") as file:
        file.write(b"x sk-canary-0123456789 x")
        file.seek(100 << 20)
        file.write(b"sk-canary-01234567")
        file.truncate(3 << 29)
    assert collected(tmp_path, redactor=Redactor(["sk-canary-0123456789"])).files == {"sparse"}
    kept = tmp_path / "out/sparse"
    assert kept.stat().st_size == (3 << 29) - len("sk-canary-0123456789") + len("[redacted]") - 18 + 10
    assert kept.stat().st_blocks * 512 < 1 << 20
    with open(kept, "rb") as file:
        assert file.read(14) == b"x [redacted] x"


def test_a_result_file_with_a_hole_is_judged_as_it_reads(source: Path, tmp_path: Path) -> None:
    (source / "result.json").write_bytes(b'{"overall": 1}')
    os.truncate(source / "result.json", 80 << 20)
    found = collect(source, tmp_path / "out", NONE, CAPS, None, "result.json")
    assert found.result == b'{"overall": 1}' + bytes((64 << 20) + 1 - 14)
