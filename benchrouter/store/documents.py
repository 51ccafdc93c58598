"""JSON as we write it and read it back: stable bytes, no NaN, no surprise from a file that is not ours."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

MAX_BYTES = 512 * 1024 * 1024
_DEPTH = 5000


def to_bytes(document: dict[str, Any]) -> bytes:
    """Encode a small document of ours for people to read; byte-stable."""
    _allow_depth()
    return (json.dumps(document, indent=2, sort_keys=True, allow_nan=False) + "\n").encode("ascii")


def to_lines(document: dict[str, Any]) -> bytes:
    """Encode a document with large values: one line per top-level key, in the order given; byte-stable."""
    _allow_depth()
    encode = json.JSONEncoder(sort_keys=True, allow_nan=False).encode
    lines = [f"  {encode(key)}: {encode(value)}" for key, value in document.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("ascii")


def to_table(document: dict[str, Any], rows: str) -> bytes:
    """Encode a document whose list `rows` is long: one line for each of its members, the rest as by `to_lines`."""
    head = to_lines({key: value for key, value in document.items() if key != rows}).rstrip(b"\n}")
    encode = json.JSONEncoder(sort_keys=True, allow_nan=False).encode
    lines = ",\n".join(["    " + encode(member) for member in document[rows]])
    return head + f',\n  "{rows}": [\n{lines}\n  ]\n}}\n'.encode("ascii")


def from_bytes(data: bytes) -> dict[str, Any] | None:
    """Decode an object that we wrote; None for anything torn, foreign, or with NaN or Infinity in it."""
    _allow_depth()
    try:
        document = json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def read(path: str | Path) -> dict[str, Any] | None:
    """Read a document of ours; None when it is missing, no regular file, unreadable or torn."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a FIFO must not hang us
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or not 0 < status.st_size <= MAX_BYTES:
            return None
        with open(descriptor, "rb", closefd=False) as file:
            return from_bytes(file.read())
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _refuse(constant: str) -> float:
    raise ValueError(constant)


def _allow_depth() -> None:
    """Let raw results nest 1,000 deep, which is the contract, wherever in the stack we are called."""
    if sys.getrecursionlimit() < _DEPTH:
        sys.setrecursionlimit(_DEPTH)
