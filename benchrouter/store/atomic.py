"""Appear by one rename, or not at all: files and whole directories."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path

from benchrouter.store.sparse import copy_file
from benchrouter.store.swap import exchange

_OCCUPIED = {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}
TEMPORARY = ".tmp"  # what a crash may leave: hidden, with this suffix, swept by store.stale


def write_atomic(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a file by write-temp, fsync, rename; `durable=False` leaves out the fsync. An OSError names `path`."""
    temporary = _temporary(path)
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.rename(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        sync(path.parent)


def publish_dir(
    staging: Path, target: Path, *, valid: Callable[[Path], bool], replace: bool = False, durable: bool = True
) -> bool:
    """Make `staging` appear as `target` by one rename; tell whether it did.

    A valid target stays as it is (`staging` is then removed, False returned), unless `replace` is set; a torn
    one is replaced. The caller holds the lock of the key. A crash leaves the old target or the whole new one;
    where directories cannot be swapped in one step, possibly none.
    """
    if durable:
        sync_tree(staging)
    make_dirs(target.parent, durable=durable)
    while True:
        try:
            move_dir(staging, target)
        except OSError as error:
            if error.errno not in _OCCUPIED:
                raise
            if valid(target) and not replace:
                shutil.rmtree(staging, ignore_errors=True)
                return False
            if replace and _swapped(staging, target):
                if durable:
                    sync(target.parent)
                _delete(staging)
                return True
            _set_aside(target, lambda path: not replace and valid(path))
        else:
            if durable:
                sync(target.parent)
            return True


def move_dir(source: Path, target: Path) -> None:
    """Rename a directory; across file systems, copy it beside the target first: it still appears at once.

    Raise OSError with ENOTEMPTY, EEXIST or ENOTDIR when the target is occupied; an empty directory is not.
    """
    try:
        source.rename(target)
        return
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
    beside = _temporary(target)
    try:
        shutil.copytree(source, beside, symlinks=True, copy_function=copy_file)
        sync_tree(beside)
        beside.rename(target)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
    shutil.rmtree(source, ignore_errors=True)


def remove_dir(path: Path) -> bool:
    """Remove a published directory: renamed first, so that a crash never leaves half of it in place.

    Tell whether all of it is gone; what is not (another user's files) stays under a hidden name.
    """
    aside = _temporary(path)
    try:
        path.rename(aside)
    except FileNotFoundError:
        return True
    _delete(aside)
    return not os.path.lexists(aside)


def make_dirs(path: Path, *, durable: bool = True) -> None:
    """Make a directory and its parents; durable means that their entries survive a power cut."""
    missing = []
    while not path.is_dir():
        missing.append(path)
        path = path.parent
    for directory in reversed(missing):
        directory.mkdir(exist_ok=True)
        if durable:
            sync(directory.parent)


def sync_tree(root: Path) -> None:
    """Flush every regular file and directory under `root` to disk; links are not followed."""
    pending = [str(root)]
    while pending:
        directory = pending.pop()
        with os.scandir(directory) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    sync(Path(entry.path))
        sync(Path(directory))


def sync(path: Path) -> None:
    """Flush one file or directory to disk; one that we may not open is left to the system."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _swapped(staging: Path, target: Path) -> bool:
    try:
        return exchange(staging, target)
    except OSError:  # another file system, or the target has just gone: the slower way decides
        return False


def _set_aside(target: Path, valid: Callable[[Path], bool]) -> None:
    aside = _temporary(target)
    try:
        target.rename(aside)
    except FileNotFoundError:
        return
    if valid(aside):  # replaced by somebody without the lock between our look and our rename
        try:
            aside.rename(target)
        except OSError:
            pass
        else:
            return
    _delete(aside)


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}{TEMPORARY}")
