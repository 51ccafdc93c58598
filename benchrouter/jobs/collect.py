"""Take over what a task wrote: hostile input, read through directory descriptors, no link ever followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchrouter.jobs.redact import Redactor
from benchrouter.jobs.verdict import MAX_BYTES
from benchrouter.store.sparse import pieces

CLOCK_SLACK_NS = 50_000_000  # the kernel stamps files with a clock that ticks every few milliseconds
OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
OPEN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@dataclass(frozen=True)
class Caps:
    """How much of an output is kept: bytes in all, number of files and directories, depth of directories."""

    size: int = 2 << 30
    count: int = 100_000
    depth: int = 64


@dataclass(frozen=True)
class Collected:
    """What was kept (relative paths), and what was not, with the cause; `late` changed after the end.

    `result` is what the result file holds, with secrets still in it: to be judged, never to be written.
    """

    files: frozenset[str]
    directories: frozenset[str]
    refused: Mapping[str, str]
    late: frozenset[str] = frozenset()
    result: bytes | None = field(default=None, repr=False)


@dataclass
class _State:
    redactor: Redactor
    caps: Caps
    ended_ns: int | None
    result_file: str
    result: bytes | None = None
    size: int = 0
    count: int = 0
    files: set[str] = field(default_factory=set)
    directories: set[str] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)
    late: set[str] = field(default_factory=set)


def collect(
    source: Path, target: Path, redactor: Redactor, caps: Caps, ended: float | None, result_file: str = ""
) -> Collected:
    """Copy regular files from `source` into the new directory `target`, redacted, within the caps.

    Up to one byte more of `result_file` than is judged is kept as it is: masks laid over numbers or quotes break JSON.

    `ended` is the time at which the container ended: files changed later are kept but named in `late`.
    Raises OSError when the target's file system fails.
    """
    state = _State(redactor, caps, _latest(ended) if ended is not None else None, result_file)
    target.mkdir()
    source_fd = os.open(source, OPEN_DIRECTORY)
    target_fd = os.open(target, OPEN_DIRECTORY)
    _directory(state, source_fd, target_fd, "", 1)
    return Collected(
        frozenset(state.files), frozenset(state.directories), state.refused, frozenset(state.late), state.result
    )


def changed_after(root: Path, name: str, ended: float | None) -> bool:
    """Tell whether a file below `root` changed after a time; False when it is not there or cannot be seen."""
    if ended is None:
        return False
    try:
        return os.stat(root / name, follow_symlinks=False).st_ctime_ns > _latest(ended)
    except OSError:
        return False


def kind(mode: int) -> str:
    """Name the kind of a file that is not a regular one."""
    return KINDS.get(stat.S_IFMT(mode), "no regular file")


def _latest(ended: float) -> int:
    return int(ended * 1e9) + CLOCK_SLACK_NS


def _directory(state: _State, source: int, target: int, prefix: str, depth: int) -> None:
    """Copy one directory; takes over both descriptors."""
    try:
        with os.scandir(source) as entries:
            names = sorted(entry.name for entry in entries)
        for name in names:
            path = prefix + name
            state.count += 1
            if state.count > state.caps.count:
                state.refused[path] = f"and the rest: more than {state.caps.count} files"
                return
            _entry(state, source, target, name, path, depth)
    finally:
        os.close(source)
        os.close(target)


def _entry(state: _State, source: int, target: int, name: str, path: str, depth: int) -> None:
    safe = os.fsdecode(state.redactor.scrub(os.fsencode(name)))
    try:
        info = os.stat(name, dir_fd=source, follow_symlinks=False)
        if stat.S_ISREG(info.st_mode):
            _file(state, source, target, name, safe, path)
        elif stat.S_ISDIR(info.st_mode) and depth < state.caps.depth:
            inner = os.open(name, OPEN_DIRECTORY, dir_fd=source)
            state.directories.add(path)
            _directory(state, inner, _make_directory(target, safe, inner), path + "/", depth + 1)
        elif stat.S_ISDIR(info.st_mode):
            state.refused[path] = f"directories are nested deeper than {state.caps.depth} levels"
        else:
            state.refused[path] = f"is {kind(info.st_mode)}"
    except FileExistsError:
        state.refused[path] = "another file has the same name once secrets are masked"
    except (PermissionError, FileNotFoundError) as error:
        state.refused[path] = f"cannot be read: {error.strerror}"


def _make_directory(parent: int, name: str, inner: int) -> int:
    try:
        os.mkdir(name, 0o755, dir_fd=parent)
        return os.open(name, OPEN_DIRECTORY, dir_fd=parent)
    except OSError:
        os.close(inner)
        raise


def _file(state: _State, source: int, target: int, name: str, safe: str, path: str) -> None:
    descriptor = os.open(name, OPEN_FILE, dir_fd=source)
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            state.refused[path] = f"is {kind(info.st_mode)}"
            return
        if state.size + info.st_size > state.caps.size:
            state.refused[path] = f"has {info.st_size} bytes, and an output may have {state.caps.size} in all"
            return
        mode = 0o755 if info.st_mode & 0o100 else 0o644
        whole: list[bytes] | None = [] if path == state.result_file else None
        copied = _copy(state, descriptor, target, safe, mode, info.st_size, whole)
        if whole is not None:
            state.result = b"".join(whole)
        state.size += copied
        state.files.add(path)
        after = os.fstat(descriptor)
        changed = (after.st_size, after.st_mtime_ns, after.st_ctime_ns)
        if changed != (info.st_size, info.st_mtime_ns, info.st_ctime_ns) or _is_late(state, info.st_ctime_ns):
            state.late.add(path)
    finally:
        os.close(descriptor)


def _copy(
    state: _State, source: int, target: int, name: str, mode: int, size: int, whole: list[bytes] | None
) -> int:
    """Copy at most `size` bytes (a file that still grows is cut, and found to be late), with its holes.

    `whole` gets them unmasked.
    """
    stream = state.redactor.stream()
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    copied = 0
    with open(os.open(name, flags, 0o600, dir_fd=target), "wb") as file:
        for piece in pieces(source, size):
            length = piece if isinstance(piece, int) else len(piece)
            if whole is not None and copied <= MAX_BYTES:
                judged = min(length, MAX_BYTES + 1 - copied)
                whole.append(bytes(judged) if isinstance(piece, int) else piece[:judged])
            copied += length
            if isinstance(piece, int):  # no secret goes on behind a hole
                file.write(stream.close())
                stream = state.redactor.stream()
                file.seek(piece, os.SEEK_CUR)
            else:
                file.write(stream.feed(piece))
        file.write(stream.close())
        file.truncate()
        os.fchmod(file.fileno(), mode)
    return copied


def _is_late(state: _State, changed_ns: int) -> bool:
    return state.ended_ns is not None and changed_ns > state.ended_ns
