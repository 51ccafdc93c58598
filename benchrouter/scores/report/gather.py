"""Read what the page shows: aggregates, jobs, ends of logs, provenance, the newest runs. Writes nothing."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from benchrouter import __version__
from benchrouter.scores.aggregate import Coverage
from benchrouter.scores.collected import JobResult, Listed, aggregates, jobs_of
from benchrouter.scores.report.asked import Asked, asked_of
from benchrouter.scores.report.embedded import Embedder
from benchrouter.scores.report.facts import facts_of
from benchrouter.scores.report.view import Group, JobRow, LogEnd, Page, ScoreRow
from benchrouter.store import layout
from benchrouter.store.artifact import score_of
from benchrouter.store.items import ItemCounts
from benchrouter.store.runs import RunRecord
from benchrouter.store.states import JobState, RunState

_TAIL, _LINES = 6000, 40
_LOGGED = 200
"""Failed jobs whose log ends are shown; of the others only the reason."""


def gather(results: Path, runs: Sequence[RunRecord] = (), notes: Sequence[str] = ()) -> Page:
    """Read the results directory into the page; `runs`, newest first, are those whose timelines it shows."""
    reader = _Reader(results)
    groups = tuple(reader.groups())
    return Page(groups, tuple(runs), tuple(reader.embedder.blocks), time.time(), __version__, tuple(notes))


class _Reader:
    def __init__(self, results: Path) -> None:
        self.results = results
        self.embedder = Embedder()
        self._logged = 0
        self._anchors = 0

    def groups(self) -> Iterator[Group]:
        """Put together what may be compared, the newest of each model, benchmark after benchmark."""
        groups: dict[str, list[tuple[Asked, list[ScoreRow]]]] = {}
        for listed in sorted(aggregates(self.results), key=lambda one: (one.benchmark, -one.written)):
            jobs = jobs_of(self.results, listed)
            asked, known = asked_of(listed, jobs), groups.setdefault(listed.benchmark, [])
            at = next((n for n, (other, _) in enumerate(known) if other.matches(asked)), len(known))
            if at == len(known):
                known.append((asked, []))
            if all(row.model != listed.model for row in known[at][1]):  # else an earlier one of the same work
                known[at][1].append(self._score(listed, jobs))
                known[at] = (known[at][0].merged(asked), known[at][1])
        for benchmark, found in groups.items():
            for asked, rows in sorted(found, key=lambda pair: pair[0].rank):
                yield Group(benchmark, asked.words, tuple(sorted(rows, key=_best_first)))

    def _score(self, listed: Listed, jobs: Sequence[JobResult]) -> ScoreRow:
        rows = tuple(self._job(job) for job in jobs)
        document = listed.document
        completed = sum(row.state is JobState.COMPLETED for row in rows)
        counts = [row.counts for row in rows if row.counts]
        return ScoreRow(
            benchmark=listed.benchmark,
            model=listed.model,
            anchor=self._anchor(),
            state=RunState.of(row.state for row in rows),
            overall=score_of(document.get("overall")),
            failures_as_zero=score_of(document.get("overall_failures_as_zero")),
            interval=None,
            coverage=Coverage(completed, max(listed.declared, len(rows))),
            counts=sum(counts, start=ItemCounts(0, 0)) if counts else None,
            written=listed.written / 1e9,
            jobs=rows,
            facts=facts_of(jobs),
        )

    def _job(self, job: JobResult) -> JobRow:
        block = self.embedder.add(job.items)
        row = JobRow(
            id=job.id,
            key=job.key,
            state=job.state,
            anchor=self._anchor(),
            overall=job.overall,
            interval=None,
            reason=job.reason,
            detail=str(job.facts.get("detail", "")),
            counts=job.counts,
            warnings=tuple(map(str, job.facts.get("warnings") or ())),
            block=block,
            seconds=job.seconds or None,
            link=self._link(job.directory) if job.directory else "",
        )
        if job.state is not JobState.FAILED or job.directory is None or self._logged >= _LOGGED:
            return row
        self._logged += 1
        return replace(row, logs=tuple(self._log_ends(job.directory / layout.LOGS)))

    def _anchor(self) -> str:
        self._anchors += 1
        return f"r{self._anchors}"

    def _link(self, path: Path) -> str:
        return quote(path.relative_to(self.results).as_posix()) + "/"

    def _log_ends(self, directory: Path) -> Iterator[LogEnd]:
        for name in _names(directory):
            text = _end_of(directory / name)
            if text:
                yield LogEnd(name, self._link(directory) + quote(name), text)


def _names(directory: Path) -> Iterable[str]:
    try:
        return sorted(name for name in os.listdir(directory) if not name.startswith("."))
    except OSError:
        return ()


def _end_of(path: Path) -> str:
    """Read the last lines of a log; nothing of what is no regular file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return ""
        file.seek(max(0, status.st_size - _TAIL))
        data = file.read(_TAIL)
    if status.st_size > _TAIL:  # begin with a whole line, where there is one
        data = data.partition(b"\n")[2] or data
    return "\n".join(data.decode("utf-8", "replace").splitlines()[-_LINES:])


def _best_first(row: ScoreRow) -> tuple[bool, float, str]:
    return row.overall is None, -(row.overall or 0.0), row.model
