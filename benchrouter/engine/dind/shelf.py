"""Where seeds lie: one file system image each, beside a note of its digest; a damaged one is a missing one."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import xxhash

from benchrouter.store.atomic import sync, write_atomic

_BLOCK = 1 << 20
_IMAGE, _NOTE, _MAKING = ".img", ".json", ".making"


class Shelf:
    """The seeds of a workspace in `root`, together of at most `limit` bytes on disk.

    Nothing that a job does reaches a seed: it is attached read-only, and by jobs that do not see the file. The
    note's stat signature therefore tells whether it is what was made; where it does not, the content decides.
    """

    def __init__(self, root: Path, limit: int) -> None:
        self._given = root
        self._limit = limit

    @property
    def _root(self) -> Path:
        return self._given.resolve()  # a link to a larger disk, for example

    def find(self, key: str) -> Path | None:
        """Give the image of a seed; remove one that is not what was made."""
        image, note = self._path(key, _IMAGE), self._path(key, _NOTE)
        try:
            noted = json.loads(note.read_bytes())
            if noted["signature"] != _signature(image):
                if noted["digest"] != _digest(image):
                    raise ValueError("damaged")
                self._write_note(key, noted["digest"], image)
            os.utime(note)  # the last use, for whoever makes room
        except (OSError, ValueError, KeyError, TypeError):
            self._remove(key)
            return None
        return image

    def fresh(self, key: str, size: int) -> Path:
        """Begin a seed: a sparse file of `size` bytes under a name of its own, for `adopt` or `abandon`."""
        self._root.mkdir(parents=True, exist_ok=True)
        making = self._root / f"{key}.{secrets.token_hex(4)}{_MAKING}"
        with open(making, "xb") as file:
            file.truncate(size)
        return making

    def adopt(self, key: str, making: Path) -> Path:
        """Put a seed that is complete into its place, and older ones away when together they are too large."""
        image = self._path(key, _IMAGE)
        sync(making)
        content = _digest(making)
        self._remove(key)
        making.rename(image)
        self._write_note(key, content, image)
        sync(self._root)
        self._make_room(key)
        return image

    def abandon(self, making: Path) -> None:
        """Remove what came of a seed that was not completed."""
        making.unlink(missing_ok=True)

    def clear_unfinished(self, key: str) -> None:
        """Remove what killed makers of a key left; for whoever holds the key's lock."""
        for left in self._root.glob(f"{key}.*{_MAKING}*"):
            left.unlink(missing_ok=True)

    def _make_room(self, keep: str) -> None:
        """Drop the seeds that were used least recently; a running job keeps what it has, the kernel holds it."""
        sizes = {image.stem: image.stat().st_blocks * 512 for image in self._images()}
        total = sum(sizes.values())
        for key in sorted(sizes, key=self._last_use):
            if total <= self._limit:
                return
            if key != keep:
                self._remove(key)
                total -= sizes[key]

    def _images(self) -> Iterator[Path]:
        return self._root.glob(f"*{_IMAGE}")

    def _last_use(self, key: str) -> float:
        try:
            return self._path(key, _NOTE).stat().st_mtime
        except OSError:
            return 0.0

    def _write_note(self, key: str, content: str, image: Path) -> None:
        note: dict[str, Any] = {"digest": content, "signature": _signature(image)}
        write_atomic(self._path(key, _NOTE), json.dumps(note).encode())

    def _remove(self, key: str) -> None:
        for kind in (_NOTE, _IMAGE):
            self._path(key, kind).unlink(missing_ok=True)

    def _path(self, key: str, kind: str) -> Path:
        return self._root / f"{key}{kind}"


def _signature(path: Path) -> list[int]:
    facts = path.stat()
    return [facts.st_dev, facts.st_ino, facts.st_size, facts.st_blocks, facts.st_mtime_ns, facts.st_ctime_ns]


def _digest(path: Path) -> str:
    """Digest a sparse file by its blocks that are not all zero, wherever the file system keeps holes."""
    content = xxhash.xxh3_128()
    with open(path, "rb", buffering=0) as file:
        size, at = os.fstat(file.fileno()).st_size, 0
        content.update(str(size).encode())
        while at < size:
            try:
                at = os.lseek(file.fileno(), at, os.SEEK_DATA) // _BLOCK * _BLOCK
            except OSError:
                break  # nothing but a hole is left
            block = os.pread(file.fileno(), _BLOCK, at)
            if block.count(0) != len(block):
                content.update(str(at).encode())
                content.update(block)
            at += _BLOCK
    return content.hexdigest()
