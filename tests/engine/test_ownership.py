"""Files of another user are given back or removed, and nothing outside is reached."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from engine_bench import Bench

from benchrouter.engine.container_spec import Mount
from benchrouter.engine.labels import object_labels
from benchrouter.engine.ownership import give_back, remove_tree

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="looks at other users' files")


@needs_root
def test_output_is_given_back_without_following_links(on_engine: Bench, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("not theirs")
    output = tmp_path / "output"
    output.mkdir()
    mount = Mount(str(output), "/out", read_only=False)
    on_engine.shell(f"mkdir -m 0 /out/d; echo x >/out/f; ln -s {outside} /out/l", mounts=(mount,))
    labels = object_labels(on_engine.workspace, on_engine.run)
    give_back(on_engine.engine, on_engine.image, output, 1234, 1234, labels)
    assert {(output / name).lstat().st_uid for name in ("d", "f", "l")} == {1234}
    assert (output / "d").stat().st_mode & 0o700 == 0o700
    assert outside.stat().st_uid == 0


def test_remove_tree_removes_what_a_container_left(on_engine: Bench, tmp_path: Path) -> None:
    output = tmp_path / "it's output"
    output.mkdir()
    mount = Mount(str(output), "/out", read_only=False)
    on_engine.shell("mkdir -p /out/a/b; touch /out/a/b/c; chmod 0 /out/a", mounts=(mount,))
    remove_tree(on_engine.engine, output, on_engine.image)
    assert not output.exists()
