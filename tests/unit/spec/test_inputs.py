"""Reading input: only regular files of a sane size are read, and what else has the name is said."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from benchrouter.spec.inputs import is_there, read_input


def fault(path: Path, most: int = 10) -> str:
    with pytest.raises(OSError) as caught:
        read_input(path, most)
    assert caught.value.filename == str(path)
    return str(caught.value.strerror)


def test_a_regular_file_is_read_also_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"0123456789")
    (tmp_path / "link").symlink_to("x")
    assert read_input(tmp_path / "link", 10) == b"0123456789"
    assert fault(tmp_path / "x", 9) == "10 bytes, at most 9 are read"


def test_a_fifo_does_not_hang_and_a_device_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "zero").symlink_to("/dev/zero")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        assert fault(tmp_path / "socket") == "a socket, expected a regular file"
    assert fault(tmp_path / "fifo") == "a FIFO, expected a regular file"
    assert fault(tmp_path / "zero") == "a device, expected a regular file"
    assert fault(tmp_path) == "a directory, expected a regular file"


def test_a_file_that_tells_no_size_is_capped_all_the_same() -> None:
    """Files of the kernel have a size of 0, and may hold anything."""
    assert fault(Path("/proc/cpuinfo")) == "more than 10 bytes, at most 10 are read"


def test_a_link_to_nothing_is_there_and_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    assert is_there(tmp_path / "link") and not is_there(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError):
        read_input(tmp_path / "link")
