"""Which stored layers have been read through: not again while their files are as they were."""

from __future__ import annotations

import os
from pathlib import Path

from benchrouter.store import documents
from benchrouter.store.atomic import write_atomic

_VERSION = 1


class Checked:
    """Remembers layers by the stat of their files, change time included, beside the archive; losing it costs time."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def knows(self, layer: Path) -> bool:
        """Tell whether this very file was sound when it was read."""
        return (now := _signature(layer)) is not None and self._all().get(layer.name) == now

    def note(self, layers: list[Path]) -> None:
        """Remember files that were read through just now, and forget those that are gone."""
        known = {name: said for name, said in self._all().items() if (layers[0].parent / name).exists()}
        known.update({layer.name: said for layer in layers if (said := _signature(layer)) is not None})
        try:
            write_atomic(self._path, documents.to_bytes({"version": _VERSION, "layers": known}), durable=False)
        except OSError:
            pass  # read again the next time

    def _all(self) -> dict[str, list[int]]:
        found = documents.read(self._path) or {}
        layers = found.get("layers")
        return layers if found.get("version") == _VERSION and isinstance(layers, dict) else {}


def _signature(path: Path) -> list[int] | None:
    try:
        said = os.stat(path)
    except OSError:
        return None
    return [said.st_size, said.st_mtime_ns, said.st_ctime_ns, said.st_ino, said.st_dev]
