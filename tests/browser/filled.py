"""A workspace with much in it, and with what a hostile task may write."""

from __future__ import annotations

import json
from pathlib import Path

from shelf import Shelf

from benchrouter.store import runs
from benchrouter.store.items import ItemCounts
from benchrouter.store.jobid import JobId
from benchrouter.store.runs import RunJob, RunNode, RunRecord, Span
from benchrouter.store.states import JobState, Reason, RunState
from benchrouter.store.workspace import Workspace

MODELS = ("gpt-large", "gpt-small", "local/model=7b")
TASKS = ("algebra", "geometry", "logic")
HOSTILE = (
    '</script><script>window.pwned = 1</script><img src=x onerror="window.pwned = 1">'
    "<!-- &lt; &amp; \u2028\u202e\ud800 \x00\x1b[31m"
)
LARGE = 10_000


def filled(root: Path) -> Workspace:
    """Make a workspace of several benchmarks, models, runs and failures; one task has ten thousand items."""
    ws = Workspace(root).ensure()
    shelf = Shelf(ws.results)
    keys: dict[tuple[str, str], str] = {}
    for number, model in enumerate(MODELS):
        for task in TASKS:
            scores = [int((n * 7 + len(task)) % 10 < 8 - 2 * number) for n in range(60)]
            keys[model, task] = shelf.add(model, task, scores, benchmark="maths").name
    shelf.add("gpt-large", "whole", [n % 3 / 2 if n % 97 else None for n in range(LARGE)], benchmark="large")
    done = shelf.add("gpt-large", "good", {HOSTILE: 1, "b": 0, "c": None}, benchmark="odd")
    result = json.loads((done / "result.json").read_text())
    result["raw_metrics"]["items"][1] |= {"tokens": {"prompt": 3, "completion": 4}, "answer": HOSTILE}
    result["raw_metrics"]["items"][2]["error"] = HOSTILE
    (done / "result.json").write_text(json.dumps(result))
    for task, reason in (("slow", Reason.TIMEOUT), ("gone", Reason.ENDPOINT)):
        failed = shelf.add("gpt-large", task, benchmark="odd", reason=reason)
        (failed / "logs").mkdir()
        (failed / "logs" / "stderr.log").write_text(HOSTILE.replace("\ud800", "") + "\n" + "a line\n" * 60)
    job = json.loads((failed / "job.json").read_text())
    (failed / "job.json").write_text(json.dumps({**job, "detail": HOSTILE}))
    shelf.add(HOSTILE.replace("\ud800", "")[:100], "good", [1, 0], benchmark="odd", variables={"BENCH_LIMIT": "2"})
    shelf.settle()
    for number, right in enumerate((20, 34, 30, 45)):
        for task in TASKS:
            scores = [int(n < right) for n in range(60)]
            done = shelf.add("gpt-large", task, scores, benchmark="maths", revision=f"0{number}")
            ended = {"container": {"finished_at": 1.7e9 + number * number * 1e6}}
            (done / "provenance.json").write_text(json.dumps(ended))
        shelf.settle(name=f"old{number}", headline=False, declared=3 if number else 4)
    runs.save(ws, _record(keys))
    return ws


def _record(keys: dict[tuple[str, str], str]) -> RunRecord:
    jobs = []
    for number in range(18):
        model, task = MODELS[number % 3], TASKS[number // 3 % 3]
        spans = (Span(number % 4, 1000.0 + 12 * (number // 4) + number % 3, 9.5 - number % 5),)
        failed = number % 7 == 3
        state = JobState.FAILED if failed else JobState.COMPLETED
        reason, overall = (Reason.ENDPOINT, None) if failed else (None, 0.8)
        id = JobId("maths", task, model, number // 9)
        jobs.append(RunJob(id, keys[model, task], state, reason, overall, 9.0, items=ItemCounts(60, 60), spans=spans))
    nodes = (RunNode("image:maths/maths", (Span(0, 992.0, 7.5),)),)
    argv = ("run", "model=gpt-large,gpt-small", HOSTILE.replace("\ud800", ""))
    times = (990.0, 1065.0)
    run_id = "20260101t000000-aaaaaaaa"
    return RunRecord(run_id, argv, {}, MODELS, ("maths",), *times, RunState.PARTIAL, tuple(jobs), 4, nodes)
