"""Small images as `docker save` writes them, made by hand."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchrouter.engine.archive import Archive, Entry
from benchrouter.engine.archive.archive import Taken
from benchrouter.store.workspace import Workspace


@dataclass(frozen=True)
class Small:
    """An image of some layers, each a tar with one file of the given text."""

    texts: tuple[str, ...]
    names: tuple[str, ...] = ("small:1",)

    @property
    def layers(self) -> list[bytes]:
        """The layers' tars."""
        return [tar_of({"file": text.encode()}) for text in self.texts]

    @property
    def config(self) -> bytes:
        """The image's configuration."""
        diff_ids = [f"sha256:{hashlib.sha256(layer).hexdigest()}" for layer in self.layers]
        said = {"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": diff_ids}}
        return json.dumps({**said, "config": {"Labels": {"of": "small"}}}).encode()

    def members(self) -> dict[str, bytes]:
        """The members of the archive, as an engine of 20.10 orders them."""
        paths = [f"{hashlib.sha256(text.encode()).hexdigest()}/layer.tar" for text in self.texts]
        manifest = [{"Config": "config.json", "RepoTags": list(self.names) or None, "Layers": paths}]
        held = dict(zip(paths, self.layers, strict=True))
        return {**held, "config.json": self.config, "manifest.json": json.dumps(manifest).encode()}

    def archive(self) -> bytes:
        """The archive as a whole."""
        return tar_of(self.members())


def tar_of(members: dict[str, bytes], links: dict[str, str] | None = None) -> bytes:
    """Pack files, and symbolic links."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for name, target in (links or {}).items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, target
            tar.addfile(info)
    return out.getvalue()


def take(archive: Archive, data: bytes, *, piece: int = 1000) -> Sequence[Entry]:
    """Store what a stream holds, under its own names."""
    return archive.take(
        pieces(data, piece),
        lambda images: [Taken(image, name) for image in images for name in image.names or (image.image_id,)],
    )


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    """Cut a stream into pieces."""
    for start in range(0, len(data), size):
        yield data[start : start + size]


def files(archive: Archive) -> list[str]:
    """List the names of all files below the archive, hidden ones too."""
    return sorted(path.name for root in (archive.layers.root, archive.entries.root) for path in root.glob("*"))


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """An empty archive."""
    return Archive(Workspace(tmp_path).ensure())
