"""What a run has told that did not come to its end, and its record: written by whoever sweeps up after it."""

from __future__ import annotations

import calendar
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from benchrouter.store import layout, runs
from benchrouter.store.jobid import JobId
from benchrouter.store.live import read_live
from benchrouter.store.runs import RunRecord, Span
from benchrouter.store.workspace import Workspace


@dataclass
class Told:
    """What a run has told so far: `head` what it is about, `began` nodes at work and since when, `ended` the others.

    `spans` are the stretches of work that have ended, by node; `last` is when it told something for the last time.
    """

    head: dict[str, Any] = field(default_factory=lambda: {"argv": (), "models": (), "benchmarks": (), "jobs": ()})
    began: dict[str, float] = field(default_factory=dict)
    ended: dict[str, dict[str, Any]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    spans: dict[str, tuple[Span, ...]] = field(default_factory=dict)
    last: float = 0.0

    def until(self, end: float) -> Told:
        """Let what was at work when the run was killed have worked until then, each on a slot that was free."""
        spans, busy = dict(self.spans), [span for each in self.spans.values() for span in each]
        for node, since in sorted(self.began.items(), key=lambda pair: pair[1]):
            if node.startswith(("config:", "aggregate:")):
                continue
            taken = {span.slot for span in busy if span.started + span.seconds > since}
            slot = next(slot for slot in range(len(busy) + 1) if slot not in taken)
            busy.append(Span(slot, since, max(0.0, end - since)))
            spans[node] = (*spans.get(node, ()), busy[-1])
        return replace(self, spans=spans)

    def jobs(self, running: Mapping[str, float]) -> list[dict[str, Any]]:
        """Give the jobs as a record has them, as far as they are known; `running` are the nodes at work."""
        return [self._job(job, running) for job in self.head["jobs"]]

    def _job(self, job: Mapping[str, Any], running: Mapping[str, float]) -> dict[str, Any]:
        node = job["node"]
        told = self.ended.get(node, {"overall": job.get("overall")})
        state = told.get("state") or ("RUNNING" if node in running else "QUEUED" if job["due"] else "COMPLETED")
        known = {name: job[name] for name in (*JobId.__dataclass_fields__, "key")}
        facts = {name: told.get(name) for name in ("reason", "overall", "seconds")}
        return {**known, "state": state, **facts, "spans": runs.spans_json(self.spans.get(node, ()))}


def told_by(ws: Workspace, run_id: str) -> Told:
    """Read what a run has told; one without jobs, such as bootstrap-image, told nothing."""
    told = Told()
    for event in read_live(ws, run_id):
        node = str(event.get("node"))
        told.last = max(told.last, float(event.get("time") or 0.0))
        match event.get("event"):
            case "run":
                told.head |= event
            case "started":
                told.began[node] = float(event["time"])
            case "ended":
                told.began.pop(node, None)
                told.ended[node] = event
            case "worked":
                told.began.pop(node, None)  # perhaps it is tried again
                told.spans[node] = (*told.spans.get(node, ()), *runs.spans_of([event["span"]]))
            case "note":
                told.notes.append(str(event["text"]))
    return told


def began(run_id: str) -> float:
    """Tell from its id when a run began, in seconds since the epoch; 0 for an id that is not ours."""
    try:
        return float(calendar.timegm(time.strptime(run_id.partition("-")[0], "%Y%m%dt%H%M%S")))
    except ValueError:
        return 0.0


def record_killed(ws: Workspace, run_id: str) -> None:
    """Write the record of a run that was killed, unless it has one; nothing for one that was about no jobs.

    Any number may do so at once: what the run has told is the same for all, and is removed after this alone.
    """
    if layout.run_file(ws, run_id).exists() or not layout.live_file(ws, run_id).exists():
        return
    told = told_by(ws, run_id)
    if told.head["jobs"]:
        runs.save(ws, _record(run_id, told.until(max(told.last, _last_word(ws, run_id)))), keep=None)


def _last_word(ws: Workspace, run_id: str) -> float:
    """Tell when a job of a run last wrote into a log, which its attempt still has; 0 where none has one."""
    times = []
    for path in layout.attempts_dir(ws, run_id).glob(f"*/staging/{layout.LOGS}/*"):
        with suppress(OSError):
            times.append(path.lstat().st_mtime)
    return max(times, default=0.0)


def _record(run_id: str, told: Told) -> RunRecord:
    head = told.head
    document = {
        **{name: head[name] for name in ("argv", "models", "benchmarks")},
        "run_id": run_id,
        "variables": head.get("variables", {}),
        "started": head["time"],
        "finished": None,
        "state": None,
        "ended": runs.KILLED,
        "slots": head.get("slots", 0),
        "nodes": [
            {"name": node, "spans": runs.spans_json(spans)}
            for node, spans in told.spans.items()
            if not node.startswith("job:")
        ],
        "jobs": [{**job, "seconds": job["seconds"] or 0.0, "adopted": False} for job in told.jobs({})],
    }
    bare = RunRecord(run_id, (), {}, (), (), began(run_id), ended=runs.KILLED)
    return runs.from_json(document) or bare
