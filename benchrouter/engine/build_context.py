"""What a builder is sent: exactly the files that count for the key, with the modes that count for it."""

from __future__ import annotations

import os
import shutil
import stat
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from benchrouter.spec.inputs import read_input

DOCKERFILE = ".benchrouter.Dockerfile"


def stage(root: Path, paths: Iterable[str] | None, target: Path) -> None:
    """Copy the context to below `target`.

    `paths` are relative to `root`, None is everything below it. Modes become 0755 or 0644 by the exec bit, so
    that two clones with different umasks build the same image.
    """
    target.mkdir(parents=True, exist_ok=True)
    for path in _all(root) if paths is None else sorted(paths):
        source, copy = root / path, target / path
        status = source.lstat()
        copy.parent.mkdir(parents=True, exist_ok=True)
        if stat.S_ISLNK(status.st_mode):
            copy.symlink_to(source.readlink())
        elif stat.S_ISDIR(status.st_mode):
            copy.mkdir(exist_ok=True)
        elif stat.S_ISREG(status.st_mode):
            _copy(source, copy, status)


def archive(
    root: Path, paths: Iterable[str] | None, dockerfile: str, into: IO[bytes], ignore_file: str | None = None
) -> None:
    """Write the context as a tar with the rewritten Dockerfile beside it under a name of ours.

    The engine itself takes that file away again, because the `.dockerignore` that we send names it.
    """
    listed = set(_all(root) if paths is None else paths)
    with tarfile.open(fileobj=into, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(listed - {".dockerignore"}):
            _add(tar, root, path)
        ignored = ignore_file or ""
        if ".dockerignore" in listed:
            ignored = read_input(root / ".dockerignore").decode("utf-8", "surrogateescape")
        own = "" if ".dockerignore" in listed else ".dockerignore\n"
        _add_text(tar, ".dockerignore", f"{ignored.rstrip()}\n{own}{DOCKERFILE}\n".lstrip("\n"))
        _add_text(tar, DOCKERFILE, dockerfile)


def _copy(source: Path, copy: Path, status: os.stat_result) -> None:
    # Never a hard link: it would change the author's file (its ctime), and share its content with a later edit.
    shutil.copy2(source, copy)
    copy.chmod(_mode(status.st_mode))


def _mode(mode: int) -> int:
    """Reduce a mode to what the key covers: the owner's exec bit."""
    return 0o755 if mode & stat.S_IXUSR else 0o644


def _add(tar: tarfile.TarFile, root: Path, path: str) -> None:
    info = tar.gettarinfo(str(root / path), arcname=path)
    if info is None:
        return
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    if info.islnk():  # two names of one file are two files to the builder
        info.type, info.size = tarfile.REGTYPE, (root / path).stat().st_size
    info.mode = 0o755 if info.isdir() else _mode(info.mode)
    if info.isreg():
        with (root / path).open("rb") as content:
            tar.addfile(info, content)
    elif info.isdir() or info.issym():
        tar.addfile(info)


def _add_text(tar: tarfile.TarFile, name: str, text: str) -> None:
    import io

    content = text.encode("utf-8", errors="surrogateescape")
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(content), 0o644
    tar.addfile(info, io.BytesIO(content))


def _all(root: Path) -> Iterator[str]:
    for directory, names, files in os.walk(root):
        for name in sorted(names) + sorted(files):
            yield os.path.relpath(os.path.join(directory, name), root)
