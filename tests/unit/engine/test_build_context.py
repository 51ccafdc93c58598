"""The builder sees exactly what the key was hashed over."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from benchrouter.engine.build_context import DOCKERFILE, archive, stage


@pytest.fixture
def context(tmp_path: Path) -> Path:
    root = tmp_path / "context"
    (root / "sub/empty").mkdir(parents=True)
    (root / "a").write_text("a")
    (root / "a").chmod(0o664)
    (root / "run").write_text("#!/bin/sh\n")
    (root / "run").chmod(0o700)
    (root / "hidden").write_text("not listed")
    (root / "sub/link").symlink_to("../a")
    return root


PATHS = ("a", "run", "sub", "sub/empty", "sub/link")


def test_staged_modes_follow_the_exec_bit_alone(context: Path, tmp_path: Path) -> None:
    target = tmp_path / "staged"
    stage(context, PATHS, target)
    assert (target / "a").stat().st_mode & 0o777 == 0o644
    assert (target / "run").stat().st_mode & 0o777 == 0o755
    assert (target / "sub/link").readlink() == Path("../a")
    assert (target / "sub/empty").is_dir()
    assert not (target / "hidden").exists()
    assert (context / "a").stat().st_mode & 0o777 == 0o664


def test_archive_holds_the_same_and_hides_our_dockerfile(context: Path) -> None:
    into = io.BytesIO()
    archive(context, PATHS, "FROM x\n", into)
    into.seek(0)
    with tarfile.open(fileobj=into) as tar:
        members = {member.name: member for member in tar.getmembers()}
        ignored = tar.extractfile(".dockerignore")
        assert ignored is not None
        assert DOCKERFILE in ignored.read().decode().splitlines()
    assert set(members) == {*PATHS, ".dockerignore", DOCKERFILE}
    assert members["a"].mode == 0o644
    assert members["run"].mode == 0o755
    assert members["sub/link"].issym()
