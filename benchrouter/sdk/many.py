"""Judge many items at once, keep their order, and tell items that failed from an endpoint that is down."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from benchrouter.sdk.endpoint import EndpointError

PATIENCE = 8
"""So many failures in a row, and the endpoint is down: the rest need not be asked."""

_REFUSED = (400, 413, 422)
"""Statuses that speak of the request and not of the endpoint: too long, say. The next item may fit."""


def each(
    items: Iterable[Any], judge: Callable[[Any], dict[str, Any]], id: Callable[[Any], str] = str, workers: int = 4
) -> list[dict[str, Any]]:
    """Judge items in threads; return a record for each, in their order, as `write_items` takes them.

    `judge(item)` gives a record without its `id`, with `"empty": True` where the model said nothing at all. An item at
    which it raises EndpointError is recorded with that `error`. Raise EndpointError when PATIENCE items in a row fail,
    not counting those that the endpoint refuses; when all of them fail; and when every answer is empty.
    """
    failures = _Failures()

    def one(item: Any) -> dict[str, Any]:
        name = id(item)
        if failures.too_many():
            return {"id": name, "error": "not asked"}
        try:
            record = {"id": name, **judge(item)}
        except EndpointError as error:
            failures.add(error)
            return {"id": name, "error": str(error)}
        failures.end()
        return record

    with ThreadPoolExecutor(workers) as pool:
        records = list(pool.map(one, items))
    judged = [record for record in records if "error" not in record]
    last = failures.last
    if last is not None and failures.too_many():
        raise EndpointError(f"no answer for {failures.row} items in a row; {last.told}", last.status)
    if last is not None and not judged:
        raise EndpointError(f"no answer for any item, of {len(records)}; {last.told}", last.status)
    if judged and all(record.get("empty") for record in judged):
        raise EndpointError(f"nothing is said in any of {len(judged)} answers")
    return records


class _Failures:
    """Count failures in a row, over all threads; too many of them are never forgotten."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.row = 0
        self.last: EndpointError | None = None

    def too_many(self) -> bool:
        return self.row >= PATIENCE

    def add(self, error: EndpointError) -> None:
        with self._lock:
            self.row += error.status not in _REFUSED
            self.last = error

    def end(self) -> None:
        with self._lock:
            if not self.too_many():
                self.row = 0
