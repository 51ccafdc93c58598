"""The workspace: the directory that holds dodo.py, benchmarks, results, and an id of its own."""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from benchrouter.store.atomic import write_atomic
from benchrouter.store.problems import StoreError, Unwritable

_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class Workspace:
    """A workspace by its root (absolute); making one touches nothing on disk."""

    root: Path

    @classmethod
    def find(cls, start: Path) -> Workspace:
        """Find the nearest workspace from `start` upwards; raise StoreError when there is none."""
        start = start.absolute()
        for directory in (start, *start.parents):
            if not _exists(directory / "dodo.py"):
                continue
            if _exists(directory / "benchmarks") or _exists(directory / "benchrouter.yaml"):
                return cls(directory)
        raise StoreError(
            f"{start}: no workspace here or above: expected a directory with dodo.py and "
            "benchmarks/ (or benchrouter.yaml). Change to one and try again."
        )

    @property
    def benchmarks(self) -> Path:
        """Where benchmarks lie that are named without a path."""
        return self.root / "benchmarks"

    @property
    def environments(self) -> Path:
        """Where environments lie that several benchmarks share."""
        return self.root / "environments"

    @property
    def templates(self) -> Path:
        """Where templates lie that replace the packaged ones."""
        return self.root / "templates"

    @property
    def cache(self) -> Path:
        """What can be made again: hashes, archives, locks, attempts."""
        return self.root / "cache"

    @property
    def results(self) -> Path:
        """The artifacts: the truth for what is up to date."""
        return self.root / "results"

    @property
    def runs(self) -> Path:
        """Run records, and the journals of living owners."""
        return self.root / "runs"

    @property
    def id_file(self) -> Path:
        """The file that holds the id."""
        return self.root / ".benchrouter" / "id"

    @property
    def id(self) -> str:
        """The workspace's id; made on first use by `ensure`, StoreError before that."""
        known = self.peek_id()
        if known is None:
            raise StoreError(f"{self.id_file}: the workspace has no id yet (nothing has run in it)")
        return known

    def peek_id(self) -> str | None:
        """Return the id, or None when there is none (yet) or the file is torn; write nothing."""
        try:
            text = self.id_file.read_text("ascii", "replace").strip()
        except OSError:
            return None
        return text if _ID.fullmatch(text) else None

    def ensure(self) -> Workspace:
        """Make the id and the directories that a run writes to; safe when several processes do so at once.

        Raise Unwritable where that cannot be.
        """
        try:
            for directory in (self.id_file.parent, self.cache, self.results, self.runs):
                directory.mkdir(parents=True, exist_ok=True)
            if self.peek_id() is None:
                self._make_id()
        except OSError as error:
            raise Unwritable(self.root, error) from error
        return self

    def _make_id(self) -> None:
        if self.id_file.exists():  # torn: what carries the lost id cannot be told from a stranger's
            write_atomic(self.id_file, secrets.token_hex(8).encode() + b"\n")
            return
        mine = self.id_file.with_name(f".id.{secrets.token_hex(4)}.tmp")
        write_atomic(mine, secrets.token_hex(8).encode() + b"\n")
        try:
            os.link(mine, self.id_file)  # unlike a rename, fails when another process was first
        except FileExistsError:
            pass
        finally:
            mine.unlink()


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a parent that we may not look into
        return False
