"""What a sidecar says of its memory, in the words of Compose (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchrouter.spec import values

_LIMIT = (("mem_limit",), ("deploy", "resources", "limits", "memory"))
_RESERVATION = (("mem_reservation",), ("deploy", "resources", "reservations", "memory"))
_COPIES = (("scale",), ("deploy", "replicas"))


def memory_limit(sidecar: Mapping[str, Any]) -> int | None:
    """Give the limit that a sidecar declares, in bytes; None when it declares none."""
    return _first(sidecar, _LIMIT)


def memory_of(sidecar: Mapping[str, Any], default: int) -> tuple[int, bool]:
    """Give what to keep free for a sidecar, in bytes, all its copies together, and whether it declares that.

    What it reserves counts first, then its limit, then `default`.
    """
    declared = _first(sidecar, (*_RESERVATION, *_LIMIT))
    copies = next((found for path in _COPIES if isinstance(found := _at(sidecar, path), int)), 1)
    return copies * (default if declared is None else declared), declared is not None


def memory_faults(sidecar: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Find the sizes that cannot be read: where each stands, and what was expected."""
    for path in (*_LIMIT, *_RESERVATION):
        try:
            _size(_at(sidecar, path))
        except ValueError as error:
            yield path, f"`{'.'.join(path)}`: {error}"


def _first(sidecar: Mapping[str, Any], paths: tuple[tuple[str, ...], ...]) -> int | None:
    return next((size for path in paths if (size := _size(_at(sidecar, path)))), None)


def _at(sidecar: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    found: Any = sidecar
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def _size(value: Any) -> int | None:
    """Read a size; 0 and -1 are no limit, as for Docker."""
    return None if value in (None, 0, "0", -1, "-1") else values.size(value)
