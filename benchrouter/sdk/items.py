"""The result of a task that judges items: their mean, and each of them (docs/contract.md, "Items")."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchrouter.sdk.result import ENDPOINT, ENDPOINT_FAILED, score_of, write_document

NOTHING_JUDGED = 1


def write_items(items: Iterable[dict[str, Any]], **raw: Any) -> Path:
    """Write `result.json` with `items`, `overall` as the mean of the judged ones, and whatever else is given.

    An item has an `id` and either a `score` (0..1) or, when it could not be judged, an `error` (a text that is not
    empty); more keys are welcome. Where none was judged, the file holds no score and the script ends: with status
    75 if an error begins with "endpoint: ", as the text of an EndpointError does, else with 1. Raise ValueError for
    items that do not follow the form.
    """
    found = [dict(item) for item in items]
    scores = _scores(found)
    # Rounding must not carry a mean beyond its values: six times 0.8 is 0.8.
    mean = min(max(math.fsum(scores) / len(scores), min(scores)), max(scores)) if scores else None
    path = write_document(dict(raw, overall=mean, items=found))
    if mean is None:
        raise SystemExit(_nothing_judged(found))
    return path


def _scores(items: list[dict[str, Any]]) -> list[float]:
    seen = set()
    scores = []
    for number, item in enumerate(items, start=1):
        name = item.get("id")
        if not isinstance(name, str) or not name:
            raise ValueError(f"item {number}: `id` is {name!r:.100}, not a text")
        if name in seen:
            raise ValueError(f"item {number}: another one has the id {name!r}")
        seen.add(name)
        error, score = item.get("error"), item.get("score")
        if error is None:
            scores.append(score_of(score, "score of item " + name))
        elif not isinstance(error, str) or not error:
            raise ValueError(f"item {name}: `error` is {error!r:.100}, not a text")
        elif score is not None:
            raise ValueError(f"item {name}: `error` beside a score; an item has one of them")
    return scores


def _nothing_judged(items: list[dict[str, Any]]) -> int:
    if not items:
        print("no item was selected: nothing to judge", file=sys.stderr)
        return NOTHING_JUDGED
    texts = [f"{item['id']}: {item['error']}" for item in items]
    failed = [item["error"].startswith(ENDPOINT) for item in items]
    first = texts[failed.index(True) if any(failed) else 0]
    print(f"none of {len(items)} items could be judged; {first:.500}", file=sys.stderr)
    return ENDPOINT_FAILED if any(failed) else NOTHING_JUDGED
