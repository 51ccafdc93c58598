"""`benchrouter eval …` and `logs`: runs that ended or are under way, and what their jobs print."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchrouter.faces.completion import jobs, run_ids
from benchrouter.faces.out import Json, emit

if TYPE_CHECKING:
    from benchrouter.make.evaluations import Evaluation
    from benchrouter.store.workspace import Workspace

app = typer.Typer(help="Runs: list, look at, cancel.", no_args_is_help=True)

RunId = Annotated[
    str | None,
    typer.Option("--run-id", "-r", help="The beginning of a run's id, or of its part after the dash.",
                 autocompletion=run_ids),
]  # fmt: skip


@app.command("list")
def list_(
    last: Annotated[int, typer.Option("--last", help="How many, the newest; 0 for all.")] = 20,
    json: Json = False,
) -> int:
    """List the runs of this workspace, the newest last."""
    from benchrouter.faces.place import enter
    from benchrouter.make.evaluations import evaluations

    ws = enter()
    found, torn = evaluations(ws)
    found = found[-last:] if last else found
    if json:
        rows = [each.to_json(jobs=False) for each in found]
        emit("evaluations", evaluations=rows, torn=[path.name for path in torn])
        return 0
    for each in found:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(each.started))
        what = f"{','.join(each.benchmarks) or '-'} @ {','.join(each.models) or '-'}"
        print(f"{each.run_id}  {when}  {each.state:9}  {_counts(each):32}  {what}")
    for path in torn:
        print(f"torn record: {path}")
    if not found:
        print("no run yet")
    return 0


@app.command()
def status(run_id: RunId = None, json: Json = False) -> int:
    """Show how far a run is.

    Without --run-id the newest. Exit status 0 while it runs or when it completed, else 1.
    """
    from benchrouter.graph.words import for_people

    _, each = _named(run_id)
    good = each.state in ("COMPLETED", "RUNNING")
    if json:
        emit("evaluation", **each.to_json())
        return 0 if good else 1
    print(f"{each.run_id}  {each.state}  {_counts(each)}")
    for node, since in each.running:
        print(f"  {for_people(node, each.models)}  for {time.time() - since:.0f} s")
    for job in each.jobs:
        if job["state"] == "FAILED":
            print(f"  {job['benchmark']}/{job['task']}@{job['model']} FAILED {job.get('reason') or ''}")
    for note in each.notes:
        print(f"  {note}")
    return 0 if good else 1


@app.command()
def result(run_id: RunId = None, json: Json = False) -> int:
    """Show the scores of a run.

    Without --run-id of the newest. Exit status as that of the run.
    """
    ws, each = _named(run_id)
    from benchrouter.make.evaluations import scores_of

    scored = scores_of(ws, each)
    if json:
        emit("evaluation_result", **each.to_json(), aggregates=scored)
    else:
        print(f"{each.run_id}  {each.state}  {_counts(each)}")
        for job in each.jobs:
            overall = "-" if job.get("overall") is None else f"{job['overall']:.4f}"
            repeat = f"#{job['repeat']}" if job["repeat"] else ""
            what = f"{job['benchmark']}/{job['task']}@{job['model']}{repeat}"
            print(f"  {what}  {job['state']}  {overall}  {job.get('reason') or ''}".rstrip())
        for one in scored:
            cover = one["coverage"]
            overall = "-" if one["overall"] is None else f"{one['overall']:.4f}"
            about = f"overall {overall} · coverage {cover['completed']}/{cover['declared']}"
            print(f"{one['benchmark_name']} @ {one['model_name']}  {about} · {one['state']}")
    return 0 if each.state == "COMPLETED" else 1


@app.command()
def cancel(
    run_id: RunId = None,
    wait: Annotated[bool, typer.Option("--wait", help="Until it has ended, a minute at most.")] = False,
    json: Json = False,
) -> int:
    """End a run as Ctrl-C does.

    Without --run-id the only one under way.
    """
    from benchrouter.faces.place import enter
    from benchrouter.make.evaluations import evaluations, find
    from benchrouter.make.variables import UsageError
    from benchrouter.store import journal

    ws = enter()
    living = {owner.run_id: owner for owner in journal.living(ws)}
    if run_id is not None:
        chosen = find(evaluations(ws)[0], run_id).run_id
    elif len(living) == 1:
        (chosen,) = living
    else:
        under_way = ", ".join(living) or "none"
        raise UsageError(f"cancel which run? Name it by --run-id; under way: {under_way}")
    if chosen not in living:
        raise UsageError(f"run {chosen} is not under way")
    journal.interrupt(ws, living[chosen])
    ended = _ends(ws, chosen) if wait else None
    if json:
        emit("cancelled", run_id=chosen, pid=living[chosen].pid, ended=ended)
    else:
        print(f"run {chosen} was told to end" + (", and has ended" if ended else ", and ends still" if wait else ""))
    return 1 if wait and not ended else 0


def _ends(ws: Workspace, run_id: str) -> bool:
    from benchrouter.store import journal

    until = time.monotonic() + 60
    while time.monotonic() < until:
        if all(owner.run_id != run_id for owner in journal.living(ws)):
            return True
        time.sleep(0.2)
    return False


def _named(run_id: str | None) -> tuple[Workspace, Evaluation]:
    from benchrouter.faces.place import enter
    from benchrouter.make.evaluations import evaluations, find, unreadable
    from benchrouter.make.variables import UsageError

    ws = enter()
    found, torn = evaluations(ws)
    if run_id is None and not found:
        raise UsageError("no run yet in this workspace; `benchrouter run --model demo` makes one")
    return ws, found[-1] if run_id is None else find(found, run_id, unreadable(ws, torn))


def _counts(each: Evaluation) -> str:
    return ", ".join(f"{count} {state}" for state, count in each.counts.items()) or "no jobs"


def logs(
    job: Annotated[
        str, typer.Argument(help="BENCHMARK/TASK, also with @MODEL and #REPEAT, or a pattern.", autocompletion=jobs)
    ],
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on while the job runs.")] = False,
    tail: Annotated[int | None, typer.Option("--tail", "-n", min=0, help="Only the last lines of each log.")] = None,
    json: Json = False,
) -> int:
    """Print the logs of a job.

    Those of its newest attempt, running or ended.
    """
    import sys

    from benchrouter.faces.place import enter
    from benchrouter.make import joblogs

    ws = enter()
    attempt, count = joblogs.newest(ws, job)
    if count > 1:
        print(f"{count} jobs are meant; this is the newest: {attempt.shown}", file=sys.stderr)
    if follow and attempt.state == "RUNNING":
        _follow(joblogs.follow(ws, attempt, tail), json)
        return 0
    files = list(joblogs.texts(attempt, tail))
    if json:
        facts: dict[str, Any] = {"job": attempt.label, "state": attempt.state, "directory": str(attempt.logs)}
        emit("logs", **facts, files=[{"name": name, "text": text} for name, text in files])
        return 0
    print(f"{attempt.shown}  {attempt.state}  {attempt.logs}", file=sys.stderr)
    _follow(iter(files), json)
    return 0


def _follow(pieces: Iterable[tuple[str, str]], json: bool) -> None:
    """Print pieces of logs, each under the name of its file where that changes; lines may be cut between pieces.

    A terminal gets the colours of what a task printed, and nothing else that it would act on; a program all of it.
    """
    import sys

    from benchrouter.jobs.terminal import RESET, Colours
    from benchrouter.make.interruption import as_is

    out, terminal = as_is(sys.stdout), sys.stdout.isatty()
    shown, whole, colours = "", True, Colours()
    for name, text in pieces:
        if not text:
            continue
        if json:
            emit("log", file=name, text=text)
            continue
        if name != shown:
            print((RESET if colours.used else "") + ("" if whole else "\n"), end="", file=out)
            print(f"==> {name} <==", flush=True)
            shown, colours = name, Colours()
        whole = text.endswith("\n")
        print(colours.feed(text) if terminal else text, end="", file=out, flush=True)
    print((RESET if colours.used else "") + ("" if whole else "\n"), end="", file=out)
