"""Layers on disk: one compressed file per diff id, whichever images share it."""

from __future__ import annotations

import os
import re
import secrets
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import xxhash
import zstandard

from benchrouter.engine.archive.footer import LENGTH, Footer
from benchrouter.engine.archive.problems import ArchiveDamaged
from benchrouter.store.atomic import TEMPORARY

BLOCK = 1 << 20
_LEVEL = 1
_AHEAD = 4
_THREADS = 2  # of the compressor, beside the one that reads and digests; more take cores from jobs
_DIFF_ID = re.compile(r"sha256:[0-9a-f]{64}")
_SUFFIX = ".tar.zst"


@dataclass(frozen=True)
class Layer:
    """A layer's tar: its digest, its length in bytes, and how many bytes it takes in the archive."""

    diff_id: str
    size: int
    stored: int


def is_diff_id(text: object) -> bool:
    """Tell whether a text is the digest of a layer, and so safe as a file's name."""
    return isinstance(text, str) and _DIFF_ID.fullmatch(text) is not None


class LayerStore:
    """The directory of all layers; nothing here is shared between threads but the files."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, diff_id: str) -> Path:
        """Say where a layer lies."""
        return self.root / f"{diff_id.removeprefix('sha256:')}{_SUFFIX}"

    def find(self, diff_id: str) -> Layer | None:
        """Look a layer up by its footer; None for one that is not there or torn."""
        try:
            with open(self.path(diff_id), "rb") as file:
                return _layer(diff_id, file)
        except OSError:
            return None

    def all(self) -> Iterator[str]:
        """List the diff ids of all files that look like layers."""
        for path in self.root.glob(f"*{_SUFFIX}"):
            diff_id = f"sha256:{path.name.removesuffix(_SUFFIX)}"
            if is_diff_id(diff_id):
                yield diff_id

    def drop(self, diff_id: str) -> None:
        """Remove a layer; whoever reads it now may read on."""
        self.path(diff_id).unlink(missing_ok=True)

    def writer(self) -> LayerWriter:
        """Begin a layer whose digest is not known yet."""
        self.root.mkdir(parents=True, exist_ok=True)
        return LayerWriter(self.root / f".{secrets.token_hex(8)}{TEMPORARY}")

    def open(self, diff_id: str) -> OpenLayer:
        """Open a layer for reading; it stays readable when it is evicted. Raise ArchiveDamaged for none."""
        try:
            file = open(self.path(diff_id), "rb")  # noqa: SIM115 (closed by OpenLayer)
        except OSError as error:
            raise ArchiveDamaged(f"layer {diff_id} is not in the archive: {error.strerror}") from None
        layer = _layer(diff_id, file)
        if layer is None:
            file.close()
            raise self.damaged(diff_id, "it is torn")
        return OpenLayer(self, layer, file)

    def damaged(self, diff_id: str, why: str) -> ArchiveDamaged:
        """Drop a damaged layer and make the error that says so."""
        self.drop(diff_id)
        return ArchiveDamaged(f"layer {diff_id} in the archive is damaged ({why}) and was dropped")


class LayerWriter:
    """Compresses and digests a layer into a hidden file; `close` tells its digest, `publish` gives it its name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("xb")
        self._digest, self._checksum = sha256(), xxhash.xxh3_128()
        self._pack = zstandard.ZstdCompressor(level=_LEVEL, threads=_THREADS).compressobj()
        self._size = self._stored = 0
        self._packer = ThreadPoolExecutor(1, "layer")
        self._packing: deque[Future[None]] = deque()

    def write(self, data: bytes | memoryview) -> None:
        """Add bytes of the layer's tar, which must stay as they are; an error may come with a later call."""
        if len(self._packing) >= _AHEAD:
            self._packing.popleft().result()
        self._packing.append(self._packer.submit(self._compress, data))
        self._digest.update(data)
        self._size += len(data)

    def _compress(self, data: bytes | memoryview) -> None:
        self._put(self._pack.compress(data))

    def close(self) -> Layer:
        """Finish the file."""
        while self._packing:
            self._packing.popleft().result()
        self._packer.shutdown()
        self._put(self._pack.flush())
        self._put(Footer.sealing(self._size, self._checksum).to_bytes())
        # No fsync: what a power cut tears is told by the checksum, and can be had again.
        self._file.close()
        return Layer(f"sha256:{self._digest.hexdigest()}", self._size, self._stored)

    def discard(self) -> None:
        """Remove what was written, unless it has been published."""
        self._packer.shutdown(cancel_futures=True)
        self._file.close()
        self.path.unlink(missing_ok=True)

    def publish(self, store: LayerStore, layer: Layer) -> None:
        """Give the finished file its name."""
        self.path.rename(store.path(layer.diff_id))

    def _put(self, data: bytes) -> None:
        if data:
            self._checksum.update(data)
            self._file.write(data)
            self._stored += len(data)


class OpenLayer:
    """A layer that is being read; a context manager."""

    def __init__(self, store: LayerStore, layer: Layer, file: BinaryIO) -> None:
        self.layer = layer
        self._store, self._file = store, file

    def unpacked(self) -> Iterator[bytes]:
        """Yield the layer's tar; raise ArchiveDamaged, at the latest at its end, when it is not what was written."""
        unpack = zstandard.ZstdDecompressor().decompressobj()
        length = 0
        try:
            for data in self._packed():
                plain = unpack.decompress(data) if not unpack.eof else b""
                length += len(plain)
                if plain:
                    yield plain
        except zstandard.ZstdError as error:
            raise self._store.damaged(self.layer.diff_id, str(error)) from None
        if length != self.layer.size:
            raise self._store.damaged(self.layer.diff_id, f"{length} bytes instead of {self.layer.size}")

    def check(self) -> None:
        """Read it through; raise ArchiveDamaged when it is not what was written."""
        for _ in self._packed():
            pass

    def _packed(self) -> Iterator[bytes]:
        checksum, left = xxhash.xxh3_128(), self.layer.stored - LENGTH
        self._file.seek(0)
        while left > 0:
            data = self._file.read(min(BLOCK, left))
            if not data:
                break
            left -= len(data)
            checksum.update(data)
            yield data
        footer = Footer.of(self._file.read(LENGTH))
        if left or footer is None or footer != Footer.sealing(self.layer.size, checksum):
            raise self._store.damaged(self.layer.diff_id, "its checksum differs")

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> OpenLayer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _layer(diff_id: str, file: BinaryIO) -> Layer | None:
    stored = os.fstat(file.fileno()).st_size
    if stored < LENGTH:
        return None
    file.seek(-LENGTH, os.SEEK_END)
    footer = Footer.of(file.read(LENGTH))
    return None if footer is None else Layer(diff_id, footer.size, stored)
