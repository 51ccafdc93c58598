"""The archive keeps within its size, and never drops what a present plan needs."""

from __future__ import annotations

import os
import time

from benchrouter.engine.archive import Archive, Entry

from .images import Small, files, take

HOUR = 3600.0


def aged(archive: Archive, hours: float, *layers: str) -> Entry:
    """Store an image that was last used some hours ago."""
    (entry,) = take(archive, Small(("base", *layers), (f"{'-'.join(layers)}:1",)).archive())
    then = time.time() - hours * HOUR
    os.utime(archive.entries.path(entry.reference), (then, then))
    return entry


def test_the_least_recently_used_goes_first_with_the_layers_that_only_it_has(archive: Archive) -> None:
    aged(archive, 3, "old"), aged(archive, 1, "young"), aged(archive, 2, "middle")
    one = archive.layers.find(next(archive.layers.all()))
    assert one is not None
    gone = archive.shrink(archive.size() - 1, time.time())
    assert gone.references == ("old:1",)
    assert gone.left == archive.size()
    assert len(list(archive.layers.all())) == 3
    assert {entry.reference for entry, _ in archive.all()} == {"young:1", "middle:1"}


def test_what_was_used_since_a_run_began_stays(archive: Archive) -> None:
    """Also when nothing else is left to drop."""
    aged(archive, 3, "needed"), aged(archive, 1, "other")
    began = time.time()
    archive.entries.touch(archive.find("needed:1"))  # type: ignore[arg-type]
    gone = archive.shrink(0, began)
    assert gone.references == ("other:1",)
    assert archive.find("needed:1") is not None
    assert gone.left > 0


def test_streaming_counts_as_use(archive: Archive) -> None:
    entry = aged(archive, 3, "old")
    began = time.time()
    list(archive.stream([(entry, [])]))
    assert archive.shrink(0, began).references == ()


def test_layers_that_no_image_has_and_leftovers_go(archive: Archive) -> None:
    aged(archive, 1, "kept")
    aged(archive, 1, "torn")
    archive.entries.path("torn:1").write_text("torn")
    left = archive.layers.root / ".0123.tmp"
    fresh = archive.layers.root / ".4567.tmp"
    left.touch(), fresh.touch()
    os.utime(left, (1, 1))
    archive.shrink(1 << 40, time.time())
    assert len(list(archive.layers.all())) == 2
    assert (left.exists(), fresh.exists()) == (False, True)


def test_an_empty_archive(archive: Archive) -> None:
    assert archive.shrink(0, time.time()).left == 0
    assert not files(archive)
