"""Taking a docker-archive apart as it streams by: layers into the store's hidden files, the rest into memory."""

from __future__ import annotations

import json
import posixpath
import re
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from lzma import LZMAError
from typing import Any

from zstandard import ZstdError

from benchrouter.engine.archive.entries import image_id_of
from benchrouter.engine.archive.layers import Layer, LayerStore, LayerWriter
from benchrouter.engine.archive.members import Member, members
from benchrouter.engine.archive.problems import NotAnImageArchive
from benchrouter.engine.archive.unpacking import Block, unpacked
from benchrouter.store import documents

_SMALL, _DOCUMENT, _ALL_DOCUMENTS = 64 << 10, 16 << 20, 256 << 20
_HEX = re.compile(r"(?:^|[/:])([0-9a-f]{64})(?:$|[/.])")


@dataclass(frozen=True)
class ReadImage:
    """One image of a stream: its configuration, its layers with the paths that they came under, its names."""

    config: bytes
    image_id: str
    platform: str
    layers: tuple[Layer, ...]
    called: tuple[str, ...]
    names: tuple[str, ...]


@dataclass
class Contents:
    """What a stream held; `fresh` are layers that wait for their names. A context manager that drops those."""

    images: tuple[ReadImage, ...] = ()
    fresh: dict[str, tuple[LayerWriter, Layer]] = field(default_factory=dict)

    def __enter__(self) -> Contents:
        return self

    def __exit__(self, *_: object) -> None:
        for fresh in self.fresh.values():
            fresh[0].discard()


def read_archive(
    stream: Iterable[bytes], store: LayerStore, contents: Contents, known: Mapping[str, str]
) -> None:
    """Fill `contents` from what `docker save` writes, compressed as a whole or not.

    `known` maps paths to diff ids: such a layer is not read again if the store has it. Raises NotAnImageArchive.
    """
    reading = _Reading(store, contents, known)
    try:
        for member in members(unpacked(stream)):
            reading.member(member)
    except (tarfile.TarError, EOFError, zlib.error, LZMAError, ZstdError, ValueError) as error:
        raise NotAnImageArchive(f"not an archive that `docker save` writes, or cut off: {error}") from None
    contents.images = tuple(reading.images())


class _Reading:
    def __init__(self, store: LayerStore, contents: Contents, known: Mapping[str, str]) -> None:
        self._store, self._contents, self._known = store, contents, known
        self._documents: dict[str, bytes] = {}
        self._layers: dict[str, Layer] = {}
        self._links: dict[str, str] = {}
        self._held = 0

    def member(self, member: Member) -> None:
        """Take one member: a layer, a document, or a link to one of them."""
        name = posixpath.normpath(member.name)
        if member.kind == tarfile.SYMTYPE:
            self._links[name] = posixpath.normpath(posixpath.join(posixpath.dirname(name), member.link))
        elif member.kind == tarfile.LNKTYPE:
            self._links[name] = posixpath.normpath(member.link)
        if not member.is_file:
            return
        there = self._there(name)
        if there is not None:
            self._layers[name] = there
            return
        first = bytes(next(member.data, b""))
        if self._is_document(member.size, first):
            self._documents[name] = b"".join([first, *member.data])
            self._held += member.size
        else:
            self._layers[name] = self._write(chain([first], member.data))

    def _there(self, name: str) -> Layer | None:
        named = _HEX.search(name)
        diff_id = self._known.get(name) or (f"sha256:{named[1]}" if named else None)
        return self._store.find(diff_id) if diff_id else None

    def _is_document(self, size: int, first: bytes) -> bool:
        looks = first.lstrip()[:1] in (b"{", b"[") and first[257:262] != b"ustar"
        return size <= (_DOCUMENT if looks else _SMALL) and self._held + size <= _ALL_DOCUMENTS

    def _write(self, blocks: Iterable[Block]) -> Layer:
        writer = self._store.writer()
        try:
            for block in unpacked(blocks):
                writer.write(block)
            layer = writer.close()
        except BaseException:
            writer.discard()
            raise
        there = self._contents.fresh.get(layer.diff_id)
        known = there[1] if there else self._store.find(layer.diff_id)
        if known is not None:
            writer.discard()
            return known
        self._contents.fresh[layer.diff_id] = (writer, layer)
        return layer

    def images(self) -> Iterator[ReadImage]:
        """Read the manifest; each image's layers must be those that its configuration names."""
        manifest = self._json("manifest.json")
        if not isinstance(manifest, list) or not manifest:
            raise NotAnImageArchive("no manifest.json in it: not an archive that `docker save` writes")
        for item in manifest:
            try:
                yield self._image(item["Config"], list(item["Layers"] or ()), tuple(item.get("RepoTags") or ()))
            except (KeyError, TypeError, AttributeError):
                raise NotAnImageArchive("its manifest.json or a configuration is not as Docker writes it") from None

    def _image(self, config_name: str, paths: list[str], names: tuple[str, ...]) -> ReadImage:
        config = self._documents.get(self._resolved(config_name))
        said = documents.from_bytes(config or b"")
        if config is None or said is None:
            raise NotAnImageArchive(f"the configuration {config_name} is not in it")
        layers = tuple(self._layer(path) for path in paths)
        wanted = said["rootfs"]["diff_ids"] or []
        if [layer.diff_id for layer in layers] != wanted:
            raise NotAnImageArchive(f"its layers are not those that the configuration {config_name} names")
        variant = f"/{said['variant']}" if said.get("variant") else ""
        platform = f"{said.get('os') or 'linux'}/{said.get('architecture') or ''}{variant}"
        return ReadImage(config, image_id_of(config), platform, layers, tuple(map(posixpath.normpath, paths)), names)

    def _layer(self, path: str) -> Layer:
        name = self._resolved(path)
        if name not in self._layers and name in self._documents:
            self._layers[name] = self._write(iter([self._documents[name]]))
        if name not in self._layers:
            raise NotAnImageArchive(f"the layer {path} is not in it")
        return self._layers[name]

    def _resolved(self, path: str) -> str:
        name = posixpath.normpath(path)
        for _ in range(8):
            name = self._links.get(name, name)
        return name

    def _json(self, name: str) -> Any:
        try:
            return json.loads(self._documents.get(name, b"null"))
        except ValueError:
            return None
