"""One small file per image name: what the image is, and which layers it is made of."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchrouter.engine.archive.layers import Layer, is_diff_id
from benchrouter.engine.references import normal_form
from benchrouter.keys.canonical import digest_bytes
from benchrouter.store import documents
from benchrouter.store.atomic import write_atomic

_VERSION = 1


@dataclass(frozen=True)
class Entry:
    """An image under one name (`reference`, in its normal form; an image without a name has its id there).

    `image_id` is the digest of `config`, `source_id` what the engine called the image from which it was saved, which
    differs with the containerd store. `key` is that of the environment, "" for others. `called` gives each layer's
    path in the stream that it came from: the same path in a later stream of that engine is the same layer.
    """

    reference: str
    image_id: str
    source_id: str
    platform: str
    key: str
    layers: tuple[Layer, ...]
    called: tuple[str, ...]
    config: bytes

    @property
    def size(self) -> int:
        """Sum up the unpacked layers, in bytes."""
        return sum(layer.size for layer in self.layers)

    @property
    def labels(self) -> Mapping[str, str]:
        """Read the image's labels from its configuration."""
        found = documents.from_bytes(self.config) or {}
        return dict((found.get("config") or {}).get("Labels") or {})


class EntryStore:
    """The directory of all entries; when an entry was last used is the time of its file."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, reference: str) -> Path:
        """Say where the entry of a reference lies, however that is spelled."""
        return self.root / f"{digest_bytes(normal_form(reference).encode('utf-8', 'surrogateescape'))}.json"

    def find(self, reference: str) -> Entry | None:
        """Read an entry; None when it is missing, torn or somebody else's."""
        found = _entry(documents.read(self.path(reference)))
        return found if found is not None and found.reference == normal_form(reference) else None

    def all(self) -> Iterator[tuple[Entry, float]]:
        """Yield every sound entry, and when it was last used."""
        for path in sorted(self.root.glob("*.json")):
            found = _entry(documents.read(path))
            try:
                used = path.stat().st_mtime
            except FileNotFoundError:
                continue
            if found is not None and path == self.path(found.reference):
                yield found, used

    def unreadable(self) -> Iterator[Path]:
        """Yield the files that stand where entries do, and are none."""
        sound = {self.path(entry.reference) for entry, _ in self.all()}
        return (path for path in sorted(self.root.glob("*.json")) if path not in sound)

    def put(self, entry: Entry) -> None:
        """Write an entry, in the place of what had its reference before."""
        self.root.mkdir(parents=True, exist_ok=True)
        write_atomic(self.path(entry.reference), documents.to_bytes(_document(entry)))

    def touch(self, entry: Entry) -> None:
        """Note that an entry is used now."""
        try:
            # The system's own stamp may be some milliseconds behind the clock.
            now = time.time_ns()
            os.utime(self.path(entry.reference), ns=(now, now))
        except OSError:
            pass  # evicted, or not ours to touch: then it is only older than it might be

    def remove(self, reference: str) -> None:
        """Forget a reference."""
        self.path(reference).unlink(missing_ok=True)


def _document(entry: Entry) -> dict[str, Any]:
    pairs = zip(entry.layers, entry.called, strict=True)
    return {
        "version": _VERSION,
        "reference": entry.reference,
        "image_id": entry.image_id,
        "source_id": entry.source_id,
        "platform": entry.platform,
        "key": entry.key,
        "size": entry.size,
        "layers": [
            {"diff_id": layer.diff_id, "size": layer.size, "stored": layer.stored, "called": called}
            for layer, called in pairs
        ],
        "config": entry.config.decode(),
    }


def _entry(found: dict[str, Any] | None) -> Entry | None:
    if found is None or found.get("version") != _VERSION:
        return None
    try:
        entry = Entry(
            reference=str(found["reference"]),
            image_id=str(found["image_id"]),
            source_id=str(found["source_id"]),
            platform=str(found["platform"]),
            key=str(found["key"]),
            layers=tuple(Layer(each["diff_id"], int(each["size"]), int(each["stored"])) for each in found["layers"]),
            called=tuple(str(each["called"]) for each in found["layers"]),
            config=found["config"].encode(),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    sound = all(is_diff_id(layer.diff_id) for layer in entry.layers)
    return entry if sound and entry.image_id == image_id_of(entry.config) else None


def image_id_of(config: bytes) -> str:
    """Give an image's id: the digest of its configuration."""
    return f"sha256:{hashlib.sha256(config).hexdigest()}"
