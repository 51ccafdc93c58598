"""Where seeds lie, what they are known by, and the pipe that images come through."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchrouter.engine import dind
from benchrouter.engine.dind.control import Control
from benchrouter.engine.dind.pipe import piped
from benchrouter.engine.dind.preload import Preload
from benchrouter.engine.dind.shelf import Shelf

MIB = 1 << 20


def made(shelf: Shelf, key: str, content: bytes = b"x" * MIB) -> Path:
    making = shelf.fresh(key, 8 * MIB)
    with open(making, "r+b") as file:
        file.seek(3 * MIB)
        file.write(content)
    return shelf.adopt(key, making)


def test_a_seed_is_found_again_and_takes_the_space_of_what_is_in_it(tmp_path: Path) -> None:
    image = made(Shelf(tmp_path / "seeds", 1 << 40), "k")
    assert image.stat().st_size == 8 * MIB and image.stat().st_blocks * 512 < 2 * MIB
    assert Shelf(tmp_path / "seeds", 1 << 40).find("k") == image
    assert Shelf(tmp_path / "seeds", 1 << 40).find("other") is None


@pytest.mark.parametrize("damage", ["overwritten", "cut", "grown", "note torn", "note gone"])
def test_a_damaged_seed_is_a_missing_one(tmp_path: Path, damage: str) -> None:
    shelf = Shelf(tmp_path, 1 << 40)
    image = made(shelf, "k")
    note = image.with_suffix(".json")
    if damage == "overwritten":
        with open(image, "r+b") as file:
            file.seek(3 * MIB + 100)
            file.write(b"y")
    elif damage in ("cut", "grown"):
        os.truncate(image, 7 * MIB if damage == "cut" else 9 * MIB)
    elif damage == "note torn":
        note.write_text(note.read_text()[:20])
    else:
        note.unlink()
    assert shelf.find("k") is None
    assert list(tmp_path.iterdir()) == []


def test_a_copied_seed_is_known_by_its_content(tmp_path: Path) -> None:
    made(Shelf(tmp_path / "a", 1 << 40), "k")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    assert Shelf(tmp_path / "b", 1 << 40).find("k") == tmp_path / "b" / "k.img"


def test_what_a_killed_maker_left_goes_and_nothing_else(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, 1 << 40)
    made(shelf, "other")
    shelf.fresh("k", MIB)
    shelf.clear_unfinished("k")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.img", "other.json"]


def test_the_seeds_used_least_recently_go_first(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, 5 * MIB // 2)
    for age, key in enumerate(("old", "older")):
        note = made(shelf, key).with_suffix(".json")
        os.utime(note, (1000 - age, 1000 - age))
    assert shelf.find("older") is not None  # used just now
    made(shelf, "new")
    assert sorted(path.stem for path in tmp_path.glob("*.img")) == ["new", "older"]


def test_a_seed_larger_than_all_that_may_be_kept_stays_for_its_run(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, 10)
    assert made(shelf, "k").exists()


def test_names_are_given_where_they_differ_and_what_the_task_does_not_name_goes() -> None:
    names = {"postgres": "mirror/postgres:16", "redis:7": "redis:7", "docker.io/library/alpine": "alpine:latest"}
    preload = Preload(names, dict.fromkeys(names.values(), "sha256:1"), 0)
    assert preload.lines == ["mirror/postgres:16 postgres", "mirror/postgres:16 -"]


def test_the_key_of_a_seed_is_what_is_loaded_under_which_names_by_which_daemon() -> None:
    one = Preload({"a": "x:1"}, {"x:1": "sha256:1"}, 5)
    keys = {
        one.key("sha256:e"),
        one.key("sha256:f"),
        Preload({"b": "x:1"}, {"x:1": "sha256:1"}, 5).key("sha256:e"),
        Preload({"a": "x:1"}, {"x:1": "sha256:2"}, 5).key("sha256:e"),
    }
    assert len(keys) == 4
    assert Preload({"a": "y:2"}, {"y:2": "sha256:1"}, 9).key("sha256:e") == one.key("sha256:e")


def test_a_pipe_feeds_the_first_reader_whole(tmp_path: Path) -> None:
    data = os.urandom(3 * MIB)
    with piped(tmp_path / "p", lambda: iter([data[:MIB], data[MIB:]])):
        assert (tmp_path / "p").read_bytes() == data


def test_a_pipe_that_nobody_reads_ends_with_its_context(tmp_path: Path) -> None:
    opened = threading.Event()

    def source() -> Iterator[bytes]:
        opened.set()
        yield b""

    with piped(tmp_path / "p", source):
        pass
    assert not opened.is_set()


def test_a_reader_that_leaves_is_no_fault_and_a_source_that_breaks_is(tmp_path: Path) -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b"x" * MIB

    with piped(tmp_path / "p", endless) as pipe, open(tmp_path / "p", "rb") as reader:
        assert reader.read(10) == b"x" * 10
    assert pipe.fault is None

    def broken() -> Iterator[bytes]:
        yield b"x"
        raise ValueError("damaged layer")

    with piped(tmp_path / "q", broken) as pipe:
        assert (tmp_path / "q").read_bytes() == b"x"
    assert str(pipe.fault) == "damaged layer"


def test_a_reader_that_stalls_does_not_hold_the_end(tmp_path: Path) -> None:
    with piped(tmp_path / "p", lambda: iter([b"x" * 16 * MIB])), open(tmp_path / "p", "rb") as reader:
        reader.read(1)


def test_what_a_job_leaves_in_its_control_directory_is_not_trusted(tmp_path: Path) -> None:
    control = Control.fresh(tmp_path / "c", b"#!/bin/sh\n")
    assert (control.failure, control.driver, control.ready, control.open_log()) == ("", "", False, None)
    os.mkfifo(tmp_path / "c" / "failed")
    (tmp_path / "secret").write_text("overlay2")
    (tmp_path / "c" / "driver").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "c" / "dockerd.log")
    (tmp_path / "c" / "preloaded").mkdir()
    assert (control.failure, control.driver, control.preloaded, control.open_log()) == ("", "", "", None)


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="needs shellcheck")
def test_the_seed_script_is_clean_under_shellcheck() -> None:
    script = Path(next(iter(dind.__path__))) / "seed.sh"
    done = subprocess.run(["shellcheck", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
