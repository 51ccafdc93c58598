"""Records of runs: `runs/<run-id>.json`, written whole, never changed by a later run, bounded in number."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchrouter.store import documents, layout
from benchrouter.store.atomic import make_dirs, write_atomic
from benchrouter.store.items import ItemCounts
from benchrouter.store.jobid import JobId
from benchrouter.store.states import JobState, Reason, RunState
from benchrouter.store.typed import number, seconds, text, whole
from benchrouter.store.workspace import Workspace

KILLED = "killed"
"""How a run ended whose process died; its record is written by the one who sweeps up after it."""


@dataclass(frozen=True)
class Span:
    """A stretch of work on one slot (0 is the first): `started` in seconds since the epoch, `seconds` of it."""

    slot: int
    started: float
    seconds: float


@dataclass(frozen=True)
class RunJob:
    """What became of one job in a run; `adopted` means that another invocation ran it.

    `spans` are its attempts in this run, the first one first; none for one that did not run now.
    """

    id: JobId
    key: str
    state: JobState
    reason: Reason | None = None
    overall: float | None = None
    seconds: float = 0.0
    adopted: bool = False
    items: ItemCounts | None = None
    spans: tuple[Span, ...] = ()

    @property
    def started(self) -> float | None:
        """Say when its last attempt began; None when it did not run now."""
        return self.spans[-1].started if self.spans else None

    @property
    def slot(self) -> int | None:
        """Say on which slot its last attempt ran; None when it did not run now."""
        return self.spans[-1].slot if self.spans else None


@dataclass(frozen=True)
class RunNode:
    """An image, base or archive entry that took time in a run; `name` is that of its node."""

    name: str
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class RunRecord:
    """One run; times in seconds since the epoch; `state` and `finished` are None when it did not come to its end.

    `ended` is KILLED when its process died, else None; jobs that had not ended then are QUEUED.
    Records from before spans were kept read as jobs without any, `slots` 0 and no `nodes`.
    """

    run_id: str
    argv: tuple[str, ...]
    variables: dict[str, str]
    models: tuple[str, ...]
    benchmarks: tuple[str, ...]
    started: float
    finished: float | None = None
    state: RunState | None = None
    jobs: tuple[RunJob, ...] = ()
    slots: int = 0
    nodes: tuple[RunNode, ...] = ()
    ended: str | None = None

    @property
    def word(self) -> str:
        """Say in one word how it ended: its state, or KILLED; "" where that is not known."""
        return self.state.value if self.state else (self.ended or "").upper()


def new_run_id() -> str:
    """Make a run id: sorts by time, valid as a label, file name and Docker name."""
    return time.strftime("%Y%m%dt%H%M%S", time.gmtime()) + "-" + secrets.token_hex(4)


def save(ws: Workspace, record: RunRecord, keep: int | None = 1000) -> Path:
    """Write the record of a run, and drop the oldest beyond `keep`; None keeps all."""
    path = layout.run_file(ws, record.run_id)
    make_dirs(path.parent)
    write_atomic(path, documents.to_table(to_json(record), "jobs"))
    for old in _record_files(ws)[: -max(1, keep)] if keep is not None else ():
        old.unlink(missing_ok=True)
    return path


def load(ws: Workspace, run_id: str) -> RunRecord | None:
    """Read one record; None when it is missing or torn."""
    document = documents.read(layout.run_file(ws, run_id))
    record = from_json(document) if document is not None else None
    return record if record is not None and record.run_id == run_id else None


def history(ws: Workspace, newest: int | None = None) -> tuple[list[RunRecord], list[Path]]:
    """Read all records, or so many of the newest, oldest first, and name the torn files; write nothing."""
    records, torn = [], []
    for path in _record_files(ws)[-newest if newest else None :]:
        record = load(ws, path.stem)
        if record is None:
            torn.append(path)
        else:
            records.append(record)
    return records, torn


def set_aside(ws: Workspace, torn: Iterable[Path]) -> list[Path]:
    """Move torn records to `runs/torn/`, where nothing reads them; return their new paths."""
    moved = []
    for path in torn:
        aside = ws.runs / "torn" / path.name
        aside.parent.mkdir(exist_ok=True)
        try:
            path.replace(aside)
        except FileNotFoundError:
            continue
        moved.append(aside)
    return moved


def aside(ws: Workspace) -> list[Path]:
    """List the torn records that were set aside."""
    return sorted((ws.runs / "torn").glob("*.json"))


def _record_files(ws: Workspace) -> list[Path]:
    return sorted(path for path in ws.runs.glob("*.json") if not path.name.startswith("."))


def to_json(record: RunRecord) -> dict[str, Any]:
    """Give the form of a record, on disk and elsewhere."""
    document = {**vars(record), "state": record.state.value if record.state else None}
    document["jobs"] = [job_to_json(job) for job in record.jobs]
    document["nodes"] = [{"name": node.name, "spans": spans_json(node.spans)} for node in record.nodes]
    return document


def job_to_json(job: RunJob) -> dict[str, Any]:
    """Give the form of one job in a record, which the JSON of commands shares."""
    return {
        **vars(job.id),
        "key": job.key,
        "state": job.state.value,
        "reason": job.reason.word if job.reason else None,
        "overall": job.overall,
        "seconds": job.seconds,
        "adopted": job.adopted,
        "items": {"judged": job.items.judged, "selected": job.items.selected} if job.items else None,
        "started": job.started,
        "slot": job.slot,
        "spans": spans_json(job.spans),
    }


def spans_json(spans: Iterable[Span]) -> list[list[float]]:
    """Give the form of spans in a record: slot, start, seconds."""
    return [[span.slot, round(span.started, 3), round(span.seconds, 3)] for span in spans]


def from_json(document: dict[str, Any]) -> RunRecord | None:
    """Read the form of a record; None for what is none."""
    try:
        jobs = tuple(_job(job) for job in document["jobs"])
        state, finished = document["state"], document["finished"]
        variables = dict(document["variables"]).items()
        return RunRecord(
            run_id=text(document["run_id"]),
            started=seconds(document["started"]),
            finished=seconds(finished) if finished is not None else None,
            argv=tuple(map(text, document["argv"])),
            variables={name: text(value) for name, value in variables},
            models=tuple(map(text, document["models"])),
            benchmarks=tuple(map(text, document["benchmarks"])),
            state=RunState(state) if state is not None else None,
            jobs=jobs,
            slots=whole(document.get("slots", 0)),
            nodes=tuple(RunNode(text(node["name"]), spans_of(node["spans"])) for node in document.get("nodes", ())),
            ended=KILLED if document.get("ended") == KILLED else None,
        )
    except (KeyError, TypeError, ValueError):
        return None


def _job(job: dict[str, Any]) -> RunJob:
    reason, items, overall = job["reason"], job.get("items"), job["overall"]
    return RunJob(
        JobId(text(job["benchmark"]), text(job["task"]), text(job["model"]), whole(job["repeat"])),
        text(job["key"]),
        JobState(job["state"]),
        Reason.of(reason) if reason is not None else None,
        number(overall) if overall is not None else None,
        seconds(job["seconds"]),
        bool(job["adopted"]),
        ItemCounts(whole(items["judged"]), whole(items["selected"])) if items is not None else None,
        spans_of(job.get("spans", ())),
    )


def spans_of(rows: Iterable[Any]) -> tuple[Span, ...]:
    """Read the form of spans; raise TypeError or ValueError for what is none."""
    return tuple(Span(whole(slot), seconds(began), seconds(lasted)) for slot, began, lasted in rows)
