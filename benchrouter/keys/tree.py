"""The digest of a tree: names, content, exec bits, targets of links, empty directories; never times."""

from __future__ import annotations

import marshal
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import xxhash

from benchrouter.keys.contents import digests
from benchrouter.keys.ignore import Ignore
from benchrouter.keys.walk import Walk, walk
from benchrouter.spec.problems import Problem, SpecError

Kind = Literal["file", "dir", "link"]
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in a tree; `content` is the digest of a file, the target of a link, empty for a directory."""

    path: str
    kind: Kind
    executable: bool
    content: str


@dataclass(frozen=True)
class Tree:
    """A hashed tree; `signature` is of its stats when it was hashed, `newest` its latest ctime in ns.

    `materialised` says that links leave the tree, so that a copy has to be mounted.
    """

    digest: str
    entries: tuple[Entry, ...]
    signature: bytes
    newest: int
    materialised: bool = False


def hash_tree(
    root: Path,
    *,
    ignore: Ignore | None = None,
    boundary: Path | None = None,
    exclude: frozenset[str] = frozenset(),
) -> Tree:
    """Hash a tree by content; raise SpecError for links that leave the boundary and for special files.

    Without a boundary links are hashed as links. A tree that changes meanwhile is hashed again, then refused.
    """
    return hash_walk(lambda: walk(root, boundary=boundary, ignore=ignore, exclude=exclude))


def hash_walk(look: Callable[[], Walk], found: Walk | None = None) -> Tree:
    """Hash what `look` finds, as `hash_tree` does; `found` is a walk that has just been made."""
    found = look() if found is None else found
    for _ in range(_ATTEMPTS):
        if found.problems:
            raise SpecError(found.problems)
        entries, fault = _entries(found)
        after = look()
        if after.records == found.records:
            if fault:
                raise SpecError([fault])
            newest = max((record[4] for record in found.records), default=0)
            return Tree(digest_entries(entries), entries, sign(found), newest, found.followed)
        found = after
    raise SpecError([Problem(found.root, None, "changes all the time while it is read; try again later")])


def signature(
    root: Path,
    *,
    boundary: Path | None = None,
    ignore: Ignore | None = None,
    exclude: frozenset[str] = frozenset(),
) -> bytes:
    """Sign a tree by its stats alone: equal means unchanged, unless changed within the clock's grain."""
    return sign(walk(root, boundary=boundary, ignore=ignore, exclude=exclude))


def digest_entries(entries: tuple[Entry, ...]) -> str:
    """Digest entries in order of their paths; no path, digest or target holds the separator."""
    whole = xxhash.xxh3_128()
    for entry in entries:
        mark = entry.kind[0] + ("x" if entry.executable else "-")
        whole.update(os.fsencode(f"{mark}{entry.path}\0{entry.content}\0"))
    return whole.hexdigest()


def materialise(root: Path, dest: Path, boundary: Path) -> None:
    """Copy a task directory, links that leave it replaced by what they lead to; `dest` must not exist."""
    from shutil import copy2

    found = walk(root, boundary=boundary)
    if found.problems:
        raise SpecError(found.problems)
    dest.mkdir(parents=True)
    for record in found.records:
        name, mode, target = record[0], record[1], record[7]
        source, copy = root / name, dest / name
        if stat.S_ISDIR(mode):
            copy.mkdir(exist_ok=True)
        elif target is not None:
            copy.symlink_to(target)
        else:
            copy2(source, copy)


def sign(found: Walk) -> bytes:
    """Sign what a walk found, problems included."""
    faults = [str(problem) for problem in found.problems]
    # Version 2 of marshal has no back references, so equal records always give equal bytes.
    return xxhash.xxh3_128_digest(marshal.dumps((found.records, faults), 2))


def _entries(found: Walk) -> tuple[tuple[Entry, ...], Problem | None]:
    files = [record for record in found.records if stat.S_ISREG(record[1])]
    try:
        contents = digests([(f"{found.root}/{record[0]}", record[2]) for record in files])
    except OSError as error:
        return (), Problem(str(error.filename or found.root), None, f"cannot be read: {error.strerror}")
    by_path = dict(zip([record[0] for record in files], contents, strict=True))
    entries: list[Entry] = []
    for record in found.records:
        path, mode, target = record[0], record[1], record[7]
        if target is not None:
            entries.append(Entry(path, "link", False, target))
        elif stat.S_ISDIR(mode):
            entries.append(Entry(path, "dir", False, ""))
        else:
            entries.append(Entry(path, "file", bool(mode & stat.S_IXUSR), by_path[path]))
    return tuple(entries), None
