"""A docker-archive as a stream: the form that every engine loads, and people with `docker load`."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack

from benchrouter.engine.archive.entries import Entry
from benchrouter.engine.archive.layers import LayerStore, OpenLayer
from benchrouter.engine.references import normal_form

_RECORD = tarfile.BLOCKSIZE
Named = Sequence[tuple[Entry, Sequence[str]]]
"""Images, each with the names that it gets; as the engine keeps names, so with a tag and without a digest."""


def docker_archive(store: LayerStore, images: Named, without: Collection[str] = ()) -> Iterator[bytes]:
    """Yield the archive of some images, each layer once; leave out those that the engine has (`without`).

    All layers are opened first: one that is evicted meanwhile stays readable. Raises ArchiveDamaged.
    """
    with ExitStack() as files:
        layers: dict[str, OpenLayer] = {}
        for entry, _ in images:
            for layer in entry.layers:
                if layer.diff_id not in layers and layer.diff_id not in without:
                    layers[layer.diff_id] = files.enter_context(store.open(layer.diff_id))
        yield from _members(images, layers)


def _members(images: Named, layers: Mapping[str, OpenLayer]) -> Iterator[bytes]:
    manifest = [
        {
            "Config": f"{_hex(entry.image_id)}.json",
            "RepoTags": [normal_form(name) for name in names] or None,
            "Layers": [_layer_path(layer.diff_id) for layer in entry.layers],
        }
        for entry, names in images
    ]
    yield _file("manifest.json", json.dumps(manifest).encode())
    for config_name, config in {_hex(entry.image_id): entry.config for entry, _ in images}.items():
        yield _file(f"{config_name}.json", config)
    for diff_id, layer in layers.items():
        yield _header(_layer_path(diff_id), layer.layer.size)
        yield from layer.unpacked()
        yield bytes(-layer.layer.size % _RECORD)
    yield bytes(2 * _RECORD)


def _file(name: str, data: bytes) -> bytes:
    return b"".join((_header(name, len(data)), data, bytes(-len(data) % _RECORD)))


def _header(name: str, size: int) -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o644
    return member.tobuf(tarfile.GNU_FORMAT)


def _layer_path(diff_id: str) -> str:
    return f"{_hex(diff_id)}/layer.tar"


def _hex(digest: str) -> str:
    return digest.removeprefix("sha256:")
