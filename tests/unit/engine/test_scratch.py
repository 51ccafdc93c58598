"""What was made outside of the workspace goes, and nothing that only looks like it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from benchrouter.engine.scratch import noted_scratch, remove_noted

RUN = "20260101t000000-0123abcd"


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for notes, and one for temporary files with an odd name."""
    there = tmp_path / "a place"
    there.mkdir()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(there))
    return tmp_path / "notes"


def abandoned(notes: Path) -> Path:
    """Make a directory as somebody does who is killed then."""
    maker = noted_scratch(notes, RUN)
    place = maker.__enter__()
    (place / "tree").mkdir()
    (place / "tree" / "file").write_text("x")
    kept.append(maker)
    return place


kept: list[object] = []  # a generator that is collected would clean up


def test_a_clean_end_leaves_neither_directory_nor_note(notes: Path) -> None:
    with noted_scratch(notes, RUN) as place:
        assert place.is_dir() and len(list(notes.iterdir())) == 1
    assert not place.exists() and not list(notes.iterdir())


def test_what_a_killed_maker_left_goes(notes: Path) -> None:
    place = abandoned(notes)
    assert remove_noted(notes, RUN) == (1, [])
    assert not place.exists() and not list(notes.iterdir())
    assert remove_noted(notes, RUN) == (0, [])


def test_a_note_that_leads_elsewhere_removes_nothing(notes: Path, tmp_path: Path) -> None:
    """Of another run, to a directory of another name, to a link, to what is of another user."""
    place = abandoned(notes)
    assert remove_noted(notes, "20260101t000000-ffffffff") == (0, []) and place.is_dir()
    precious = tmp_path / "precious"
    precious.mkdir()
    (notes / "scratch-x").symlink_to(precious)
    linked = tmp_path / f"benchrouter-{RUN}-0"
    linked.symlink_to(precious)
    (notes / "scratch-y").symlink_to(linked)
    remove_noted(notes, RUN)
    assert precious.is_dir() and linked.is_symlink() and not place.exists()
    if os.geteuid() == 0:
        others = tmp_path / f"benchrouter-{RUN}-1"
        others.mkdir()
        os.chown(others, 12345, 12345)
        (notes / "scratch-z").symlink_to(others)
        assert remove_noted(notes, RUN)[1] == [] and others.is_dir()


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")
def test_what_is_mounted_in_it_is_taken_off_and_not_removed(notes: Path, tmp_path: Path) -> None:
    """A killed debootstrap leaves /proc and /dev of this machine in its tree."""
    host = tmp_path / "host"
    host.mkdir()
    (host / "device").write_text("of the host")
    place = abandoned(notes)
    target = place / "tree" / "dev of it"
    target.mkdir()
    if subprocess.run(["mount", "--bind", str(host), str(target)], capture_output=True, check=False).returncode:
        pytest.skip("this machine refuses to mount")
    assert remove_noted(notes, RUN) == (1, [])
    assert (host / "device").read_text() == "of the host" and not place.exists()
    assert str(place) not in Path("/proc/self/mountinfo").read_text()
