"""Where seeds lie, what they are known by, and the pipe that images come through."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchrouter.engine import dind
from benchrouter.engine.dind.control import Control, repositories
from benchrouter.engine.dind.pipe import piped
from benchrouter.engine.dind.preload import Preload
from benchrouter.engine.dind.shelf import Shelf

MIB = 1 << 20


ENVIRONMENT = "sha256:e"


def made(shelf: Shelf, *images: str, environment: str = ENVIRONMENT, content: bytes = b"x" * MIB) -> Path:
    making = shelf.fresh(environment, 8 * MIB)
    with open(making, "r+b") as file:
        file.seek(3 * MIB)
        file.write(content)
    return shelf.adopt(making, environment, {image: f"inside {image}" for image in images}).image


def found(root: Path, *images: str, environment: str = ENVIRONMENT) -> Path | None:
    seed = Shelf(root, 1 << 40).find(environment, images)
    return seed.image if seed else None


def test_a_seed_is_found_again_and_takes_the_space_of_what_is_in_it(tmp_path: Path) -> None:
    image = made(Shelf(tmp_path / "seeds", 1 << 40), "a", "b")
    assert image.stat().st_size == 8 * MIB and image.stat().st_blocks * 512 < 2 * MIB
    assert found(tmp_path / "seeds", "a", "b") == image
    seed = Shelf(tmp_path / "seeds", 1 << 40).find(ENVIRONMENT, ["a"])
    assert seed and seed.inside == {"a": "inside a", "b": "inside b"}


def test_a_seed_serves_whoever_wants_a_part_of_it_of_the_same_environment(tmp_path: Path) -> None:
    image = made(Shelf(tmp_path, 1 << 40), "a", "b")
    assert found(tmp_path, "b") == image
    assert found(tmp_path, "b", "c") is None
    assert found(tmp_path, "b", environment="sha256:other") is None


@pytest.mark.parametrize("damage", ["overwritten", "cut", "grown", "note torn", "note gone", "note foreign"])
def test_a_damaged_seed_is_a_missing_one(tmp_path: Path, damage: str) -> None:
    image = made(Shelf(tmp_path, 1 << 40), "a")
    note = image.with_suffix(".json")
    if damage == "overwritten":
        with open(image, "r+b") as file:
            file.seek(3 * MIB + 100)
            file.write(b"y")
    elif damage in ("cut", "grown"):
        os.truncate(image, 7 * MIB if damage == "cut" else 9 * MIB)
    elif damage == "note torn":
        note.write_text(note.read_text()[:20])
    elif damage == "note foreign":
        note.write_text("[1, 2]")
    else:
        note.unlink()
    assert found(tmp_path, "a") is None
    assert list(tmp_path.iterdir()) == []


def test_a_copied_seed_is_known_by_its_content(tmp_path: Path) -> None:
    image = made(Shelf(tmp_path / "a", 1 << 40), "a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    assert found(tmp_path / "b", "a") == tmp_path / "b" / image.name
    assert found(tmp_path / "b", "a") == tmp_path / "b" / image.name


def test_what_a_killed_maker_left_goes_and_nothing_else(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, 1 << 40)
    image = made(shelf, "a")
    shelf.fresh(ENVIRONMENT, MIB).with_suffix(".making.bare").touch()
    other = shelf.fresh("sha256:other", MIB)
    shelf.clear_unfinished(ENVIRONMENT)
    assert sorted(tmp_path.iterdir()) == sorted([image, image.with_suffix(".json"), other])


def test_the_seeds_used_least_recently_go_first(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, 5 * MIB // 2)
    for age, name in enumerate(("old", "older")):
        note = made(shelf, name).with_suffix(".json")
        os.utime(note, (1000 - age, 1000 - age))
    assert found(tmp_path, "older")  # used just now
    made(shelf, "new")
    assert [bool(found(tmp_path, name)) for name in ("old", "older", "new")] == [False, True, True]


def test_a_seed_larger_than_all_that_may_be_kept_stays_for_its_run(tmp_path: Path) -> None:
    assert made(Shelf(tmp_path, 10), "a").exists()


def test_all_names_are_given_and_what_the_task_does_not_name_goes() -> None:
    names = {"postgres": "mirror/postgres:16", "redis:7": "redis:7", "docker.io/library/alpine": "alpine:latest"}
    preload = Preload(names, dict.fromkeys(names.values(), "sha256:1"), 0)
    given = ["mirror/postgres:16 postgres", "redis:7 redis:7", "alpine:latest docker.io/library/alpine"]
    assert preload.lines == [*given, "mirror/postgres:16 -"]


def test_a_task_knows_images_by_what_they_are_in_the_seed() -> None:
    preload = Preload({"a": "x:1", "b": "x:1"}, {"x:1": "sha256:1"}, 5)
    assert preload.known_as({"sha256:1": "sha256:9", "sha256:2": "sha256:8"}) == {"a": "sha256:9", "b": "sha256:9"}


def test_names_in_the_form_in_which_a_daemon_keeps_them() -> None:
    pinned = f"a/b@sha256:{'0' * 64}"
    known = {"debian": "1", "docker.io/library/debian:12": "2", "r.io:5000/x/y:z": "3", pinned: "4", "a/b:1": "5"}
    assert json.loads(repositories(known))["Repositories"] == {
        "debian": {"debian:latest": "1", "debian:12": "2"},
        "r.io:5000/x/y": {"r.io:5000/x/y:z": "3"},
        "a/b": {pinned: "4", "a/b:1": "5"},
    }


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
