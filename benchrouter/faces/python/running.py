"""`benchrouter.plan` and `benchrouter.run`: the command behind them is a process of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from benchrouter.faces.python.calling import Process, words_of
from benchrouter.faces.python.tables import Shown, Table, shortened
from benchrouter.scores.table import duration, one_line, score

Names = str | Iterable[str] | None
Where = str | os.PathLike[str] | None


class How(TypedDict, total=False):
    """The keywords of `run` and `start`; what is left out is as if it were not typed."""

    model: Names
    tasks: Names
    repeat: int | None
    seed: int | None
    env: Mapping[str, Any] | None
    slots: int
    force: bool
    failed: bool
    strict: bool
    preflight: bool
    cache: bool | None
    refresh: Names
    node: Names
    workspace: Where
    environ: Mapping[str, str] | None


@dataclass(frozen=True)
class Plan(Shown):
    """What a run would do: `due` jobs of `total`, each with why; `document` is all of it (docs/json.md)."""

    document: Mapping[str, Any]

    @property
    def due(self) -> tuple[Mapping[str, Any], ...]:
        """List the jobs that would run."""
        return tuple(self.document["jobs"]["due"])

    @property
    def total(self) -> int:
        """Count all jobs that were asked for."""
        return int(self.document["jobs"]["total"])

    @property
    def table(self) -> Table:
        """Show the due jobs with the first cause of each."""
        rows, more = shortened([(job["node"], "; ".join(each["text"] for each in job["because"])) for job in self.due])
        return Table(f"{len(self.due)} of {self.total} jobs to run", ("job", "because"), rows, more=more)


@dataclass(frozen=True)
class RunResult(Shown):
    """How a run ended; `document` is all of it (docs/json.md), `status` the command's exit status."""

    document: Mapping[str, Any]
    status: int

    @property
    def state(self) -> str | None:
        """Say COMPLETED, PARTIAL or FAILED."""
        return self.document.get("state")

    @property
    def completed(self) -> bool:
        """Tell whether every job has a score."""
        return self.status == 0

    @property
    def jobs(self) -> tuple[Mapping[str, Any], ...]:
        """List the jobs with state, reason and score."""
        return tuple(self.document["jobs"])

    @property
    def scores(self) -> dict[tuple[str, str], float | None]:
        """Give the overall score by benchmark and model."""
        return {(one["benchmark_name"], one["model_name"]): one["overall"] for one in self.document["aggregates"]}

    @property
    def table(self) -> Table:
        """Show the jobs, and above them the scores with their coverage."""
        rows, more = shortened([_row(job) for job in self.jobs])
        title = f"{self.state}: " + "; ".join(map(_overall, self.document["aggregates"]))
        if kept := len(self.document.get("kept") or ()):
            title += f" ({kept} earlier result{'s' * (kept != 1)} in it, not made anew now)"
        return Table(title, ("job", "state", "score", "time", "reason"), rows, frozenset({2, 3}), more)


class Running:
    """A run under way: iterate over its events, then ask for the `result`; as a context manager it is cancelled."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (each for each in self._process if each.get("kind") == "event")

    def cancel(self) -> None:
        """Stop the run as Ctrl-C would; `result` then tells how far it came."""
        self._process.cancel()

    def result(self) -> RunResult:
        """Wait for the end; raise CommandError when the run did not start."""
        status, document = self._process.end()
        return RunResult(document, status)

    def __enter__(self) -> Running:
        self._process.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._process.__exit__(*error)


def plan(
    bench: Names = None,
    *,
    model: Names = None,
    tasks: Names = None,
    repeat: int | None = None,
    seed: int | None = None,
    env: Mapping[str, Any] | None = None,
    slots: int = 8,
    refresh: Names = None,
    workspace: Where = None,
) -> Plan:
    """Tell what `run` would do and why; nothing starts, nothing is written.

    `env` are variables in capitals for the tasks; `workspace` is a directory in one, else the current directory.
    Raise CommandError with the message for a mistake.
    """
    asked = {"model": model, "tasks": tasks, "repeat": repeat, "seed": seed, "env": env}
    options = {**asked, "slots": slots, "refresh": refresh}
    with Process(words_of("plan", bench, options), workspace) as process:
        return Plan(process.end()[1])


def start(
    bench: Names = None,
    *,
    model: Names = None,
    tasks: Names = None,
    repeat: int | None = None,
    seed: int | None = None,
    env: Mapping[str, Any] | None = None,
    slots: int = 8,
    force: bool = False,
    failed: bool = False,
    strict: bool = False,
    preflight: bool = True,
    cache: bool | None = None,
    refresh: Names = None,
    node: Names = None,
    workspace: Where = None,
    environ: Mapping[str, str] | None = None,
) -> Running:
    """Start a run in a process of its own and return at once: see Running.

    `environ` is added to the environment of that process, for an endpoint and its key. The others are the options of
    `benchrouter run`, whose `--help` says what they mean.
    """
    options = {"model": model, "tasks": tasks, "repeat": repeat, "seed": seed, "env": env, "slots": slots}
    flags = {"force": force, "failed": failed, "strict": strict, "preflight": preflight, "cache": cache}
    more = {"refresh": refresh, "node": node}
    return Running(Process(words_of("run", bench, {**options, **flags, **more}), workspace, environ))


def run(
    bench: Names = None,
    *,
    on_event: Callable[[Mapping[str, Any]], None] | None = None,
    **how: Unpack[How],
) -> RunResult:
    """Run what is not up to date and return how it ended; the keywords are those of `start`.

    `on_event` hears each event as it comes (docs/json.md). A Ctrl-C, or an error in it, stops the run in order first.
    Raise CommandError when the run did not start; a run that failed is a result all the same.
    """
    with start(bench, **how) as running:
        for event in running:
            if on_event is not None:
                on_event(event)
        return running.result()


def _row(job: Mapping[str, Any]) -> tuple[str, ...]:
    name = f"{job['benchmark']}/{job['task']}@{job['model']}" + (f"#{job['repeat']}" if job["repeat"] else "")
    reason = ": ".join(filter(None, (job["reason"], one_line(job.get("detail") or "", 100))))
    return name, job["state"], score(job["overall"]), duration(job["seconds"] or None), reason


def _overall(one: Mapping[str, Any]) -> str:
    coverage = one["coverage"]
    said = f"{score(one['overall'])}, coverage {coverage['completed']}/{coverage['declared']}"
    return f"{one['benchmark_name']} @ {one['model_name']} {said}"
