"""Walking a tree by stat alone: one record per file, directory and link; links that leave it are followed."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from benchrouter.keys.ignore import Ignore
from benchrouter.spec.problems import Problem

Record: TypeAlias = tuple[str, int, int, int, int, int, int, str | None]
"""Relative path, mode, size, mtime_ns, ctime_ns, inode, device, target of a link."""

_MOST_ENTRIES = 2_000_000
_DEEPEST = 200  # well below what a path may hold and a stack bears
_KIND, _FILE = 0o170000, 0o100000


@dataclass
class Walk:
    """A walk in progress: what it looks at, and what it found so far.

    Without `boundary`, links are links. With it, a link that leaves the tree is followed as long as it stays
    inside the boundary (a real path), and is a problem beyond.
    """

    root: str
    boundary: str | None = None
    ignore: Ignore | None = None
    exclude: frozenset[str] = frozenset()
    records: list[Record] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    followed: bool = False

    def run(self) -> list[Record]:
        """Walk the whole tree; records come in order of their paths."""
        self._directory(self.root, "", (), "", 0)
        self.records.sort()
        return self.records

    def _directory(self, path: str, prefix: str, chain: tuple[str, ...], base: str, depth: int) -> bool:
        """Record what is in a directory; `base` is the real top of the part that stays together."""
        records, exclude, ignore = self.records, self.exclude, self.ignore
        others: list[tuple[str, os.stat_result]] = []
        before = len(records)
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    name = prefix + entry.name
                    if name in exclude:
                        continue
                    s = entry.stat(follow_symlinks=False)
                    mode = s.st_mode
                    if mode & _KIND != _FILE:
                        others.append((entry.name, s))
                    elif ignore is None or not ignore.excludes(name):
                        records.append(
                            (name, mode, s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino, s.st_dev, None)
                        )
        except FileNotFoundError:
            pass  # vanished while we looked: the next look at the tree differs, and that is what counts
        except OSError as error:
            self._problem(prefix, f"cannot be read: {error.strerror}")
        if len(records) > _MOST_ENTRIES:
            raise OverflowError
        for name, s in others:
            self._other(path, name, prefix, s, chain, base, depth)
        return len(records) > before

    def _other(
        self,
        path: str,
        name: str,
        prefix: str,
        s: os.stat_result,
        chain: tuple[str, ...],
        base: str,
        depth: int,
    ) -> None:
        rel, full = prefix + name, f"{path}/{name}"
        excluded = self.ignore is not None and self.ignore.excludes(rel)
        if stat.S_ISDIR(s.st_mode):
            if excluded and self.ignore is not None and not self.ignore.has_exceptions:
                return
            if depth >= _DEEPEST:
                self._problem(rel, f"is nested deeper than {_DEEPEST} directories")
                return
            found = self._directory(full, rel + "/", chain, base, depth + 1)
            if found or not excluded:
                self.records.append((rel, stat.S_IFDIR, 0, 0, 0, 0, 0, None))
        elif excluded:
            return
        elif stat.S_ISLNK(s.st_mode):
            self._link(full, rel, s, chain, base, depth)
        else:
            kind = (
                "a FIFO"
                if stat.S_ISFIFO(s.st_mode)
                else "a socket"
                if stat.S_ISSOCK(s.st_mode)
                else "a device"
            )
            self._problem(rel, f"is {kind}; expected files, directories and links only")

    def _link(
        self, full: str, rel: str, s: os.stat_result, chain: tuple[str, ...], base: str, depth: int
    ) -> None:
        try:
            target = os.readlink(full)  # noqa: PTH115 (a Path costs more than the call)
        except OSError:
            return
        as_link = (rel, stat.S_IFLNK, s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino, s.st_dev, target)
        if self.boundary is None:
            self.records.append(as_link)
            return
        base = base or os.path.realpath(self.root)
        real = os.path.realpath(full)
        if not inside(real, self.boundary):
            self._problem(rel, f"links to `{target}`, outside the benchmark; copy it in, or link inside")
        elif _stays(target, depth) and (inside(real, base) or not _turns_back(target)):
            self.records.append(as_link)
        else:
            self._follow(real, rel, target, chain)

    def _follow(self, real: str, rel: str, target: str, chain: tuple[str, ...]) -> None:
        """Record what a link leads to as if it stood here."""
        self.followed = True
        try:
            s = os.stat(real)
        except OSError:
            self._problem(rel, f"links to `{target}`, which is not there")
            return
        here = os.path.realpath(os.path.dirname(f"{self.root}/{rel}"))
        if stat.S_ISREG(s.st_mode):
            self.records.append(
                (rel, s.st_mode, s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino, s.st_dev, None)
            )
        elif not stat.S_ISDIR(s.st_mode):
            self._problem(rel, f"links to `{target}`, which is neither a file nor a directory")
        elif any(inside(step, real) for step in (*chain, here)):
            self._problem(rel, f"links to `{target}`, which contains the link: a loop")
        else:
            self.records.append((rel, stat.S_IFDIR, 0, 0, 0, 0, 0, None))
            self._directory(f"{self.root}/{rel}", rel + "/", (*chain, here), real, 0)

    def _problem(self, rel: str, message: str) -> None:
        self.problems.append(Problem(f"{self.root}/{rel}".rstrip("/"), None, message))


def inside(path: str, top: str) -> bool:
    """Tell whether a real path is a real directory or something below it."""
    return path == top or path.startswith(top.rstrip("/") + "/")


def walk(
    root: Path, *, boundary: Path | None, ignore: Ignore | None = None, exclude: frozenset[str] = frozenset()
) -> Walk:
    """Walk a tree; the tree itself must lie inside the boundary."""
    real = os.path.realpath(boundary) if boundary is not None else None
    looked = Walk(str(root), real, ignore if ignore and ignore.patterns else None, exclude)
    if real is not None and not inside(os.path.realpath(root), real):
        looked.problems.append(Problem(str(root), None, "is a link that leads outside the benchmark"))
        return looked
    try:
        looked.run()
    except OverflowError:
        looked.problems.append(Problem(str(root), None, f"holds more than {_MOST_ENTRIES} entries"))
    return looked


def _stays(target: str, depth: int) -> bool:
    """Tell whether a relative target never climbs above the top of its part, not even to come back."""
    if target.startswith("/"):
        return False
    for part in target.split("/"):
        depth += -1 if part == ".." else 0 if part in ("", ".") else 1
        if depth < 0:
            return False
    return True


def _turns_back(target: str) -> bool:
    """Tell whether a target climbs again after it went down: then a link on its way changes what it means."""
    parts = [part for part in target.split("/") if part not in ("", ".")]
    return any(part == ".." and before != ".." for before, part in pairwise(parts))
