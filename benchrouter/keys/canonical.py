"""Canonical digests: xxh3-128 over JSON in one form."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import xxhash

JSON: TypeAlias = bool | int | float | str | Sequence["JSON"] | Mapping[str, "JSON"] | None

_encode = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False, check_circular=False
).encode


def digest(value: JSON) -> str:
    """Digest a JSON value; equal values have equal digests whatever the order of their keys.

    Raise ValueError for NaN and infinities, TypeError for what is not JSON. A float is never equal to an int.
    """
    return xxhash.xxh3_128_hexdigest(_encode(value).encode("ascii"))


def same(one: object, other: object) -> bool:
    """Tell whether a key takes two JSON values for one: `0` and `0.0`, `1` and `true` are two."""
    return one == other and (isinstance(one, str) or _encode(one) == _encode(other))


def digest_bytes(data: bytes) -> str:
    """Digest bytes."""
    return xxhash.xxh3_128_hexdigest(data)
