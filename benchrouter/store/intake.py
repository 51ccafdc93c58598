"""Taking a tree in from outside, a directory or a tar: regular files, directories and links that stay inside, no more.

What comes from outside is hostile until it has been read: nothing is written but below one fresh directory.
"""

from __future__ import annotations

import os
import shutil
import stat
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any

from benchrouter.store.problems import StoreError

MOST_BYTES = 8 << 30
MOST_FILES = 200_000
LEAST_FREE = 1 << 28
DEEPEST = 60
_LONGEST_HEADER = 1 << 20
_HEADERS = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
_LEFT_OUT = (".git", "__pycache__")
_ZSTD = b"\x28\xb5\x2f\xfd"
_BLOCK = 1 << 20


@dataclass
class _Taken:
    """What has been written so far below `root`, and the bounds that it must keep."""

    source: str
    root: Path
    size: int = 0
    links: set[PurePosixPath] = field(default_factory=set)
    names: set[PurePosixPath] = field(default_factory=set)

    def refuse(self, name: str, why: str) -> StoreError:
        return StoreError(f"{self.source}: {name!r:.200} {why}; nothing was taken")

    def admit(self, name: str) -> PurePosixPath:
        """Check a member's name; raise StoreError for one that could lead elsewhere."""
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name:
            raise self.refuse(name, "leads out of it")
        if self.links & {path, *path.parents}:
            raise self.refuse(name, "lies behind a link")
        if len(path.parts) > DEEPEST:
            raise self.refuse(name, f"lies more than {DEEPEST} directories deep")
        self.names.add(path)
        if len(self.names) > MOST_FILES:
            raise self.refuse(name, f"is one file too many (at most {MOST_FILES})")
        return path

    def write(self, path: PurePosixPath, data: IO[bytes], *, executable: bool) -> None:
        """Write a regular file of at most what is left of the bound."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(target, "xb") as out:
            while block := data.read(_BLOCK):
                self.size += len(block)
                if self.size > MOST_BYTES:
                    raise self.refuse(str(path), f"goes beyond {MOST_BYTES >> 30} GiB in all")
                if shutil.disk_usage(self.root).free < LEAST_FREE:
                    raise self.refuse(str(path), "would fill the disk")
                out.write(block)
        target.chmod(0o755 if executable else 0o644)

    def link(self, path: PurePosixPath, goal: str) -> None:
        """Make a symbolic link that stays inside."""
        inside = os.path.normpath(os.path.join(path.parent, goal))
        if goal.startswith("/") or inside == ".." or inside.startswith("../") or "\0" in goal:
            raise self.refuse(str(path), f"is a link to {goal!r:.200}, which lies outside")
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(goal)
        self.links.add(path)


def take_in(source: Path, fresh: Path) -> None:
    """Copy a directory, or unpack a tar, into `fresh`, which must not be there; raise StoreError, and leave nothing."""
    if source.is_dir() and fresh.resolve().is_relative_to(source.resolve()):
        raise StoreError(f"{source}: this workspace lies in it, and would be copied into itself; nothing was taken")
    fresh.mkdir()
    taken = _Taken(str(source), fresh)
    try:
        if source.is_dir():
            _copy(source, taken)
        else:
            _unpack(source, taken)
    except FileExistsError as error:
        raise taken.refuse(Path(str(error.filename)).name, "is there twice") from None
    except (tarfile.TarError, EOFError) as error:
        raise StoreError(f"{source}: neither a directory nor a tar that can be read ({error})") from None
    except OSError as error:
        raise StoreError(f"{error.filename or source}: {error.strerror or error}") from None


def top_of(fresh: Path, file: str) -> Path:
    """Find where a file lies in what was taken in: at the top, or in the only directory, as tars often have it."""
    inner = [path for path in fresh.iterdir() if path.name != "pax_global_header"]
    if not (fresh / file).exists() and len(inner) == 1 and inner[0].is_dir() and not inner[0].is_symlink():
        return inner[0]
    return fresh


def _copy(source: Path, taken: _Taken) -> None:
    for directory, names, files in os.walk(source):
        here = PurePosixPath(Path(directory).relative_to(source).as_posix())
        linked = [name for name in names if Path(directory, name).is_symlink()]
        names[:] = sorted(set(names) - set(linked) - set(_LEFT_OUT))
        for name in names:
            (taken.root / taken.admit(str(here / name))).mkdir()
        for name in sorted([*files, *linked]):
            path, full = taken.admit(str(here / name)), os.path.join(directory, name)
            status = os.lstat(full)
            if stat.S_ISLNK(status.st_mode):
                taken.link(path, str(Path(full).readlink()))
            elif stat.S_ISREG(status.st_mode):
                with open(full, "rb") as data:
                    taken.write(path, data, executable=bool(status.st_mode & 0o100))
            else:
                raise taken.refuse(str(path), "is neither a file, a directory nor a link")


class _Careful(tarfile.TarInfo):
    """Refuses a header that would fill the memory before anything of it can be looked at."""

    @classmethod
    def frombuf(cls, buf: Any, encoding: str, errors: str) -> Any:
        """Read a header's first block."""
        made = super().frombuf(buf, encoding, errors)
        if made.type in _HEADERS and made.size > _LONGEST_HEADER:
            raise tarfile.ReadError("a header of more than 1 MiB")
        return made


def _unpack(source: Path, taken: _Taken) -> None:
    with _stream(source) as raw, tarfile.open(fileobj=raw, mode="r|*", tarinfo=_Careful) as archive:
        for member in archive:
            archive.members = []  # type: ignore[attr-defined]  # else each member is remembered
            if member.name in (".", "./"):
                continue
            path = taken.admit(member.name)
            if member.isdir():
                (taken.root / path).mkdir(parents=True, exist_ok=True)
            elif member.issym():
                taken.link(path, member.linkname)
            elif member.islnk():
                _again(path, member.linkname, taken)
            elif member.isreg() and (data := archive.extractfile(member)) is not None:
                taken.write(path, data, executable=bool(member.mode & 0o100))
            else:
                raise taken.refuse(member.name, "is neither a file, a directory nor a link")


def _again(path: PurePosixPath, goal: str, taken: _Taken) -> None:
    """Write a hard link as a copy of the file before it."""
    other = PurePosixPath(goal)
    if other not in taken.names or other in taken.links or not (taken.root / other).is_file():
        raise taken.refuse(str(path), f"is a hard link to {goal!r:.200}, which is no file before it")
    with open(taken.root / other, "rb") as data:
        taken.write(path, data, executable=os.access(taken.root / other, os.X_OK))


@contextmanager
def _stream(source: Path) -> Iterator[IO[bytes]]:
    if not source.is_file():  # a FIFO would be waited for, and cannot be read twice
        raise tarfile.ReadError("no regular file")
    with open(source, "rb") as raw:
        head = raw.read(4)
        raw.seek(0)
        if head == _ZSTD:
            import zstandard

            try:
                with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(raw) as plain:
                    yield plain
            except zstandard.ZstdError as error:
                raise tarfile.ReadError(str(error)) from None
        else:
            yield raw


def forget(directory: Path) -> None:
    """Remove what was taken in and is not wanted."""
    shutil.rmtree(directory, ignore_errors=True)
