"""Where seeds lie: one file system image each, beside a note of its digest; a damaged one is a missing one."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xxhash

from benchrouter.keys.canonical import digest
from benchrouter.store.atomic import sync, write_atomic

_BLOCK = 1 << 20
_LONGEST_MAKING = 86400.0
_IMAGE, _NOTE, _MAKING = ".img", ".json", ".making"


@dataclass(frozen=True)
class Seed:
    """A seed's file, and what its daemon calls the images: ids in the engine to ids inside."""

    image: Path
    inside: Mapping[str, str]


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

    def find(self, environment: str, images: Collection[str]) -> Seed | None:
        """Find a seed with these images, made by the daemon of that environment: the one used last of several."""
        for key in sorted((image.stem for image in self._images()), key=self._last_use, reverse=True):
            seed = self._sound(key, environment, images)
            if seed is not None:
                os.utime(self._path(key, _NOTE))  # the last use, for whoever makes room
                return seed
        return None

    def _sound(self, key: str, environment: str, images: Collection[str]) -> Seed | None:
        """Give a seed if it has what is asked for; remove one that is not what was made."""
        image, note = self._path(key, _IMAGE), self._path(key, _NOTE)
        try:
            noted = json.loads(note.read_bytes())
            inside = {str(name): str(found) for name, found in noted["images"].items()}
            if noted["environment"] != environment or not inside.keys() >= set(images):
                return None
            if noted["signature"] != _signature(image):
                if noted["digest"] != _digest(image):
                    raise ValueError("damaged")
                self._write_note(key, {**noted, "signature": _signature(image)})
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self._remove(key)
            return None
        return Seed(image, inside)

    def fresh(self, environment: str, size: int) -> Path:
        """Begin a seed: a sparse file of `size` bytes under a name of its own, for `adopt` or `abandon`."""
        self._root.mkdir(parents=True, exist_ok=True)
        making = self._root / f"{digest(environment)}.{secrets.token_hex(4)}{_MAKING}"
        with open(making, "xb") as file:
            file.truncate(size)
        return making

    def adopt(self, making: Path, environment: str, inside: Mapping[str, str]) -> Seed:
        """Put a seed that is complete into its place, and older ones away when together they are too large.

        `inside` maps the engine's image ids to those in the seed.
        """
        key = digest([environment, sorted(inside)])
        image = self._path(key, _IMAGE)
        sync(making)
        content = _digest(making)
        self._remove(key)
        making.rename(image)
        note = {"digest": content, "environment": environment, "images": dict(inside)}
        self._write_note(key, {**note, "signature": _signature(image)})
        sync(self._root)
        self._make_room(key)
        return Seed(image, inside)

    def abandon(self, making: Path) -> None:
        """Remove what came of a seed that was not completed."""
        for left in (making, making.with_name(f"{making.name}.bare")):
            left.unlink(missing_ok=True)

    def clear_unfinished(self, environment: str) -> None:
        """Remove what killed makers left; for whoever holds the environment's lock."""
        for left in self._root.glob(f"{digest(environment)}.*{_MAKING}*"):
            left.unlink(missing_ok=True)

    def _make_room(self, keep: str) -> None:
        """Drop the seeds that were used least recently; a running job keeps what it has, the kernel holds it."""
        for left in self._root.glob(f"*{_MAKING}*"):
            if left.stat().st_mtime < time.time() - _LONGEST_MAKING:
                left.unlink(missing_ok=True)
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

    def _write_note(self, key: str, note: Mapping[str, Any]) -> None:
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
