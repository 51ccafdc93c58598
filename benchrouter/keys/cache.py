"""The stat cache of one benchmark: what its files said when their stats were as they are now.

Only a reason to look less: it is checked by signature, never by time, and can be deleted at any moment.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import xxhash

from benchrouter import __version__

_MAGIC = f"benchrouter hashes 7 {__version__}"
GRAIN_NS = 2_000_000_000
"""Longest step of a file system's clock that we allow for."""

_SUFFIX = ".json"
_KINDS = ("settings", "benchmark", "tasks", "environments", "files", "data")


class StatCache:
    """Records by kind and name; a record is a JSON list whose first item is a signature in hexadecimal."""

    def __init__(
        self, path: Path, root: Path, records: dict[str, dict[str, list[Any]]] | None = None
    ) -> None:
        self.path = path
        self.root = root
        self.dirty = False
        self.grain = GRAIN_NS
        self._records: dict[str, dict[str, list[Any]]] = records or {kind: {} for kind in _KINDS}

    @classmethod
    def load(cls, directory: Path, root: Path) -> StatCache:
        """Load the cache of the benchmark at `root`; a torn, old or foreign one counts as empty."""
        path = directory / f"{xxhash.xxh3_64_hexdigest(os.fsencode(root))}{_SUFFIX}"
        return cls(path, root, _read(path, root))

    def get(self, kind: str, name: str) -> list[Any] | None:
        """Give the record as it was kept; the caller compares its signature."""
        return self._records[kind].get(name)

    def keep(self, kind: str, name: str, record: list[Any], newest: int, looked: int) -> None:
        """Keep a record of what was read at `looked`, unless a later change could hide behind equal stats.

        `newest` is the latest ctime among the files, both in nanoseconds since the epoch. A change within the
        clock's grain of the reading leaves the stats as they are, hence `grain`; a time in the future says
        nothing.
        """
        if newest > looked - self.grain:
            self.dirty |= self._records[kind].pop(name, None) is not None
        elif self._records[kind].get(name) != record:
            self._records[kind][name] = record
            self.dirty = True

    def retain(self, kind: str, names: frozenset[str]) -> None:
        """Drop the records of everything else of that kind."""
        gone = self._records[kind].keys() - names
        for name in gone:
            del self._records[kind][name]
        self.dirty |= bool(gone)

    def save(self) -> None:
        """Write the cache if something changed; a failure is no fault, only a slower next time."""
        if not self.dirty:
            return
        body = json.dumps({"root": os.fspath(self.root), "records": self._records}, separators=(",", ":"))
        data = _head(body.encode("ascii")) + body.encode("ascii")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            temporary = self.path.with_name(f".{self.path.name}.{os.urandom(8).hex()}")
            try:
                temporary.write_bytes(data)
                temporary.replace(self.path)
            finally:
                temporary.unlink(missing_ok=True)
        except OSError:
            return
        self.dirty = False


def sweep(directory: Path) -> int:
    """Remove the caches of benchmarks that are no longer there; give their number."""
    removed = 0
    for path in directory.glob(f"*{_SUFFIX}"):
        try:
            root = json.loads(path.read_bytes().partition(b"\n")[2])["root"]
        except (OSError, ValueError, KeyError, TypeError):
            root = None
        if not isinstance(root, str) or not Path(root).is_dir():
            path.unlink(missing_ok=True)
            removed += 1
    return removed


def _read(path: Path, root: Path) -> dict[str, dict[str, list[Any]]] | None:
    try:
        head, _, body = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if head + b"\n" != _head(body):
        return None
    data = json.loads(body)
    records: dict[str, dict[str, list[Any]]] = data["records"]
    return records if data["root"] == os.fspath(root) else None


def _head(body: bytes) -> bytes:
    return f"{_MAGIC} {xxhash.xxh3_128_hexdigest(body)}\n".encode("ascii")
