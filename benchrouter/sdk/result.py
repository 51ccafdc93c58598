"""The result file: written for authors, and checked as the contract says."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

INVALID_RESULT, NO_RESULT, ENDPOINT_FAILED = 65, 66, 75
ENDPOINT = "endpoint: "
_LARGEST = 64 * 1024 * 1024


class ResultError(ValueError):
    """The result file is missing, holds no valid score, or blames the endpoint; `status` tells which."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def write_result(overall: float, **raw: Any) -> Path:
    """Write `result.json` with `overall` (0..1) and whatever else is given; return its path."""
    return write_document(dict(raw, overall=score_of(overall, "overall")))


def write_document(document: dict[str, Any]) -> Path:
    """Write `result.json` into the output directory by one rename; return its path."""
    path = Path(os.environ.get("BENCHROUTER_OUTPUT_DIR", "."), "result.json")
    part = path.with_name("result.json.part")
    part.write_text(json.dumps(wellformed(document), indent=2) + "\n", encoding="utf-8")
    part.replace(path)
    return path


def wellformed(value: Any) -> Any:
    """Put U+FFFD in place of every half of a surrogate pair, which no text can be written with, in parsed JSON."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {wellformed(name): wellformed(member) for name, member in value.items()}
    return [wellformed(member) for member in value] if isinstance(value, (list, tuple)) else value


def check_result(path: Path, key: str) -> tuple[float, dict[str, Any]]:
    """Read a result file; return (overall, the whole object) or raise ResultError."""
    raw = _load(path)
    error = raw.get("error")
    if isinstance(error, dict) and error.get("kind") == "endpoint":
        raise ResultError(ENDPOINT_FAILED, f"the endpoint failed: {error!r:.300}")
    overall = score_of(_lookup(raw, key), key)
    if error and overall == 0:
        raise ResultError(INVALID_RESULT, f"`error` beside a score of 0: {error!r:.300}")
    return overall, raw


def _load(path: Path) -> dict[str, Any]:
    try:
        status = path.lstat()
    except OSError:
        raise ResultError(NO_RESULT, f"{path}: not written") from None
    if not stat.S_ISREG(status.st_mode):
        raise ResultError(INVALID_RESULT, f"{path}: not a regular file")
    if status.st_size > _LARGEST:
        raise ResultError(INVALID_RESULT, f"{path}: {status.st_size} bytes, at most 64 MB count")
    try:
        raw = json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=_once)
    except (OSError, ValueError) as error:
        raise ResultError(INVALID_RESULT, f"{path}: {error}") from None
    except RecursionError:
        raise ResultError(INVALID_RESULT, f"{path}: nested too deep") from None
    if not isinstance(raw, dict):
        raise ResultError(INVALID_RESULT, f"{path}: holds a {type(raw).__name__}, not an object")
    return raw


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if sum(name == "overall" for name, _ in pairs) > 1:
        raise ValueError("`overall` occurs twice")
    return dict(pairs)


def _lookup(raw: dict[str, Any], key: str) -> Any:
    if key in raw:
        return raw[key]
    value: Any = raw
    for part in key.split("."):
        if not isinstance(value, dict) or part not in value:
            raise ResultError(INVALID_RESULT, f"no key `{key}` in the result; it has: {', '.join(raw):.200}")
        value = value[part]
    return value


def score_of(value: Any, key: str) -> float:
    """Give a score as a number from 0 to 1; raise ResultError for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ResultError(INVALID_RESULT, f"`{key}` is {value!r:.100}, not a number")
    if not 0 <= value <= 1:  # so NaN is refused too
        raise ResultError(INVALID_RESULT, f"`{key}` is {value!r:.100}, not within 0..1")
    return float(value)
