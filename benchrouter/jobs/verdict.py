"""Decide what a result file says: a score, or why there is none. Pure; the bytes are hostile input."""

from __future__ import annotations

import difflib
import json
import math
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from benchrouter.jobs.nesting import deeper_than
from benchrouter.store.items import read_items
from benchrouter.store.states import Reason
from benchrouter.store.texts import make_wellformed, may_hold_lone

MAX_BYTES = 64 << 20
MAX_DEPTH = 1000
QUOTED = 200

_COMPARED = 500

_Duplicates = dict[int, tuple[Mapping[str, Any], frozenset[str]]]
"""Objects by their identity, each with those of its keys that occurred more than once; they live as long as this."""


class NotFinite:
    """A number that JSON cannot carry (`NaN`, `1e400`); published as null, refused as a score."""

    def __init__(self, spelling: str) -> None:
        self.spelling = spelling

    def __repr__(self) -> str:
        return self.spelling


@dataclass(frozen=True)
class Verdict:
    """What a result file holds: `overall` in 0..1, or a reason and one line for people.

    `raw` is the whole object, ready to be written: numbers that are not finite are None.
    """

    overall: float | None = None
    raw: Any = None
    reason: Reason | None = None
    detail: str = ""
    warnings: tuple[str, ...] = ()


class _Refused(Exception):
    """The text is no JSON object that we accept."""


def judge(data: bytes, file_name: str, result_key: str | None) -> Verdict:
    """Judge the bytes of a result file; `result_key` is a literal top-level key first, else a dotted path."""
    key = result_key or "overall"
    duplicates: _Duplicates = {}
    try:
        raw = _parse(data, duplicates)
    except _Refused as refused:
        return Verdict(reason=Reason.INVALID_RESULT, detail=f"{file_name} {refused}")
    if is_endpoint_error(raw):
        detail = f"{file_name} reports a failure of the endpoint: {quoted(raw['error'])}"
        return Verdict(reason=Reason.ENDPOINT, detail=detail)
    try:
        score = _score(raw, key, duplicates)
    except _Refused as refused:
        error = f"; its `error`: {quoted(raw['error'])}" if raw.get("error") else ""
        return Verdict(reason=Reason.INVALID_RESULT, detail=f"{file_name}: {refused}{error}")
    return _with_items(_with_error(finite(raw), score, file_name), file_name)


def finite(raw: Any) -> Any:
    """Replace every number that JSON cannot carry by None, in place; without recursion."""
    if isinstance(raw, NotFinite):
        return None
    pending = [raw]
    while pending:
        holder = pending.pop()
        items = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, value in list(items):
            if isinstance(value, NotFinite):
                holder[key] = None
            elif isinstance(value, dict | list):
                pending.append(value)
    return raw


def is_endpoint_error(raw: Any) -> bool:
    """Tell whether a result says that the model's endpoint failed."""
    error = raw.get("error") if isinstance(raw, Mapping) else None
    return isinstance(error, Mapping) and error.get("kind") == "endpoint"


def quoted(value: Any) -> str:
    """Quote a value in a message: as JSON, on one line, shortened."""
    if isinstance(value, NotFinite):
        return value.spelling
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except (ValueError, RecursionError):
        text = repr(value)
    return shortened(text)


def shortened(text: str) -> str:
    """Cut a quotation to what a message can carry."""
    return text if len(text) <= QUOTED else text[:QUOTED] + "…"


def _with_error(raw: Mapping[str, Any], score: float, file_name: str) -> Verdict:
    error = raw.get("error")
    if not error:
        return Verdict(overall=score, raw=raw)
    if score == 0:
        detail = f"{file_name} holds 0 beside an `error`: {quoted(error)}"
        return Verdict(raw=raw, reason=Reason.INVALID_RESULT, detail=detail)
    warning = f"{file_name} holds an `error` beside its score: {quoted(error)}"
    return Verdict(overall=score, raw=raw, warnings=(warning,))


def _with_items(verdict: Verdict, file_name: str) -> Verdict:
    """Warn of items that could not be judged or read; a zero over items of which none was judged is no score."""
    if verdict.reason is not None:
        return verdict
    items = read_items(verdict.raw)
    counts, warning = items.counts, f"{file_name}: {items.fault}" if items.fault else ""
    if counts and counts.errors:
        warning = f"{counts.errors} of {counts.selected} items could not be judged; {shortened(items.error)}"
        if not counts.judged and verdict.overall == 0:
            return Verdict(raw=verdict.raw, reason=Reason.INVALID_RESULT, detail=f"{file_name} holds 0, but {warning}")
    return replace(verdict, warnings=(*verdict.warnings, warning)) if warning else verdict


def _parse(data: bytes, duplicates: _Duplicates) -> dict[str, Any]:
    if len(data) > MAX_BYTES:
        raise _Refused(f"is larger than {MAX_BYTES >> 20} MB")
    if not data.strip():
        raise _Refused("is empty; expected a JSON object")
    if deeper_than(data, MAX_DEPTH):
        raise _Refused(f"is nested deeper than {MAX_DEPTH} levels")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _Refused(f"is not UTF-8 (byte {data[error.start]:#04x} at offset {error.start})") from None
    raw = _load(text, duplicates)
    if may_hold_lone(text):
        raw = make_wellformed(raw)
    if not isinstance(raw, dict):
        raise _Refused(f"holds {kind_of(raw)}; expected a JSON object")
    return raw


def _load(text: str, duplicates: _Duplicates) -> Any:
    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            counts = Counter(key for key, _ in pairs)
            duplicates[id(found)] = found, frozenset(key for key, count in counts.items() if count > 1)
        return found

    _allow_depth()
    try:
        return json.loads(
            text, object_pairs_hook=mapping, parse_float=_number, parse_int=_integer, parse_constant=NotFinite
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise _Refused(f"is not JSON ({where}: {error.msg}), or was cut off") from None


def _allow_depth() -> None:
    """Make room for MAX_DEPTH levels: the parser counts them against the interpreter's recursion limit."""
    needed = 4 * MAX_DEPTH
    if sys.getrecursionlimit() < needed:
        sys.setrecursionlimit(needed)


def _number(spelling: str) -> float | NotFinite:
    number = float(spelling)
    return number if math.isfinite(number) else NotFinite(spelling[:40])


def _integer(spelling: str) -> int | float | NotFinite:
    return int(spelling) if len(spelling) <= 300 else _number(spelling)


def _score(raw: dict[str, Any], key: str, duplicates: _Duplicates) -> float:
    value = _lookup(raw, key, duplicates)
    if isinstance(value, NotFinite | bool) or not isinstance(value, int | float):
        raise _Refused(f"`{key}` is {describe(value)}; expected a number from 0 to 1")
    if not 0 <= value <= 1:
        hint = f" (a percentage? {value} / 100 = {value / 100:g})" if 1 < value <= 100 else ""
        raise _Refused(f"`{key}` is {quoted(value)}; expected a number from 0 to 1{hint}")
    return float(value) + 0.0  # -0.0 becomes 0.0


def _lookup(raw: dict[str, Any], key: str, duplicates: _Duplicates) -> Any:
    if key in raw:
        return _member(raw, key, key, duplicates)
    value: Any = raw
    walked: list[str] = []
    for part in key.split("."):
        if not isinstance(value, dict) or part not in value:
            raise _Refused(_missing(key, value, walked))
        walked.append(part)
        value = _member(value, part, ".".join(walked), duplicates)
    return value


def _member(holder: dict[str, Any], key: str, shown: str, duplicates: _Duplicates) -> Any:
    _, repeated = duplicates.get(id(holder), (holder, frozenset()))
    if key in repeated:
        raise _Refused(f"`{shown}` occurs more than once; which one is the score is not defined")
    return holder[key]


def _missing(key: str, holder: Any, walked: list[str]) -> str:
    if walked and not isinstance(holder, dict):
        return f"no `{key}`: `{'.'.join(walked)}` is {describe(holder)}"
    known = list(islice((name for name in holder if isinstance(name, str)), _COMPARED))
    near = difflib.get_close_matches(key.split(".")[len(walked)], known, 1)
    hint = f" (did you mean `{shortened(near[0])}`?)" if near else ""
    there = ", ".join(f"`{shortened(name)}`" for name in known[:8]) or "nothing"
    inside = f"`{'.'.join(walked)}` holds" if walked else "it holds"
    more = ", …" if len(known) > 8 else ""
    todo = "`result_mapping: {overall: …}` in task.yaml names another key"
    return f"no `{key}`{hint}: {inside} {there}{more}; {todo}"


def describe(value: Any) -> str:
    """Say what a value is, for a message: `"0.5"` (a string)."""
    return "null" if value is None else f"{quoted(value)} ({kind_of(value)})"


def kind_of(value: Any) -> str:
    """Name the JSON type of a value."""
    kinds: list[tuple[type, str]] = [
        (bool, "a boolean"), (str, "a string"), (dict, "an object"), (list, "a list"),
        (NotFinite, "not a finite number"), (int, "a number"), (float, "a number"),
    ]  # fmt: skip
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")
