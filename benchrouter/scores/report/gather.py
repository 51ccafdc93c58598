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
from benchrouter.scores.boards import Boards, Standing
from benchrouter.scores.collected import JobResult, Listed
from benchrouter.scores.limits import limits_of_job
from benchrouter.scores.report.embedded import Embedder
from benchrouter.scores.report.facts import facts_of
from benchrouter.scores.report.view import Group, JobRow, LogEnd, Page, ScoreRow
from benchrouter.scores.scope import EVERYTHING, Scope
from benchrouter.scores.table import natural
from benchrouter.store import layout
from benchrouter.store.items import ItemCounts
from benchrouter.store.runs import RunRecord
from benchrouter.store.states import JobState

_TAIL, _LINES = 6000, 40
_LOGGED = 200
"""Failed jobs whose log ends are shown; of the others only the reason."""


def gather(
    results: Path,
    runs: Sequence[RunRecord] = (),
    notes: Sequence[str] = (),
    scope: Scope = EVERYTHING,
    beside: Path | None = None,
) -> Page:
    """Read the results directory into the page; `runs`, newest first, are those whose timelines it shows.

    Links lead from `beside`, the page's directory; without it that is the results directory.
    """
    reader = _Reader(results, scope, beside or results)
    groups = tuple(reader.groups())
    return Page(groups, tuple(runs), tuple(reader.embedder.blocks), time.time(), __version__, tuple(notes))


class _Reader:
    def __init__(self, results: Path, scope: Scope, beside: Path) -> None:
        self.results = results
        self.scope = scope
        way = os.path.relpath(results.absolute(), beside.absolute())
        self._way = "" if way == "." else quote(way) + "/"
        self.embedder = Embedder()
        self._logged = 0
        self._anchors = 0

    def groups(self) -> Iterator[Group]:
        """Put together what may be compared: of each model the newest, with what it had before."""
        boards, rows = Boards(), dict[int, list[ScoreRow]]()
        for placed in boards.read(self.results, self.scope):
            board, model = placed.board, placed.listed.model
            if self.scope.model(model) and len(board.of(model)) == 1:
                rows.setdefault(id(board), []).append(self._score(placed.listed, placed.standing, placed.jobs))
        for board in (board for board in boards.ordered() if id(board) in rows):
            mine = [replace(row, earlier=tuple(board.of(row.model)[1:])) for row in rows[id(board)]]
            yield Group(board.benchmark, board.words, tuple(sorted(mine, key=_best_first)), bool(board.superseded))

    def _score(self, listed: Listed, standing: Standing, jobs: Sequence[JobResult]) -> ScoreRow:
        rows = tuple(self._job(job) for job in jobs)
        counts = [row.counts for row in rows if row.counts]
        return ScoreRow(
            benchmark=listed.benchmark,
            model=listed.model,
            anchor=self._anchor(),
            state=standing.state,
            overall=standing.overall,
            failures_as_zero=standing.scored.overall_failures_as_zero,
            interval=standing.interval,
            coverage=standing.coverage,
            counts=sum(counts, start=ItemCounts(0, 0)) if counts else None,
            written=standing.when,
            jobs=rows,
            facts=facts_of(jobs),
            now=standing,
        )

    def _job(self, job: JobResult) -> JobRow:
        block = self.embedder.add(sorted(job.items, key=lambda item: natural(item.id)))
        row = JobRow(
            id=job.id,
            key=job.key,
            state=job.state,
            anchor=self._anchor(),
            overall=job.overall,
            interval=limits_of_job(job),
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
        return self._way + quote(path.relative_to(self.results).as_posix()) + "/"

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
