"""When results were had: asked of provenance, which a copy keeps, rather than of files' times."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from benchrouter.scores.collected import Listed, aggregates, newest_attempt
from benchrouter.spec.names import encode
from benchrouter.store import documents, layout
from benchrouter.store.jobid import JobId
from benchrouter.store.states import JobState
from benchrouter.store.typed import seconds_or_none

AT_ONCE = 2_000_000_000
"""Files written within so many nanoseconds may be a copy, whose times say nothing; their jobs' own times count then."""


def when_of(results: Path, listed: Listed) -> float:
    """Tell when the last job of an aggregate ended, in seconds since the epoch; the file's time is the last resort."""
    ended = max(_ended(results, listed), default=0.0)
    return ended or listed.written / 1e9


def is_newer(results: Path, one: Listed, than: Listed) -> bool:
    """Tell whether an aggregate was asked for after another."""
    if abs(one.written - than.written) > AT_ONCE:
        return one.written > than.written
    return when_of(results, one) > when_of(results, than)


def newest_first(results: Path, benchmarks: Collection[str] | None = None) -> list[tuple[float, Listed]]:
    """List the aggregates on disk, or those of some benchmarks, with their times."""
    every = [None] if benchmarks is None else benchmarks
    dated = [(when_of(results, listed), listed) for name in every for listed in aggregates(results, name)]
    return sorted(dated, key=lambda pair: (-pair[0], pair[1].benchmark, pair[1].model, pair[1].path.name))


def _ended(results: Path, listed: Listed) -> Iterator[float]:
    model = results / listed.benchmark / encode(listed.model)
    for job in listed.document["jobs"]:
        place = model / job["task"] / job["key"]
        if job["state"] == JobState.FAILED.value:
            id = JobId(listed.benchmark, job["task"], listed.model, job["repeat"])
            place = newest_attempt(results, id, job["key"]) or place
        facts = documents.read(place / layout.PROVENANCE) or {}
        container = facts.get("container")
        ended = seconds_or_none(container.get("finished_at")) if isinstance(container, dict) else None
        if ended is not None:
            yield ended
