"""`benchrouter.results`, `compare` and `rewards`: what is on disk, read in this process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchrouter.faces.asked import compared, results_at, scope_of
from benchrouter.faces.python.calling import named
from benchrouter.faces.python.running import Names, Where
from benchrouter.faces.python.tables import Shown, ShownInTurn, Table, shortened
from benchrouter.faces.unrun import Unrun, unrun_of
from benchrouter.scores.collected import JobResult
from benchrouter.scores.comparison.compared import Comparison
from benchrouter.scores.export.rows import Exported, Reward, exported, rows_of
from benchrouter.scores.export.rows import rewards as rewards_of
from benchrouter.scores.problems import ScoresError
from benchrouter.scores.statistics.intervals import Interval
from benchrouter.scores.table import score
from benchrouter.store.workspace import Workspace

_COMPARED = ("model", "score", "95 % interval", "coverage", "")


@dataclass(frozen=True)
class Result(Shown):
    """One result of a model: score with interval and coverage, its jobs with their items, and what was asked for.

    Results with equal `benchmark` and `asked` may be compared; `when` is in seconds since the epoch.
    """

    benchmark: str
    model: str
    asked: tuple[str, ...]
    state: str
    overall: float | None
    interval: Interval | None
    coverage: tuple[int, int]
    when: float
    jobs: tuple[JobResult, ...]

    @property
    def table(self) -> Table:
        """Show the jobs."""
        rows, more = shortened([_job_row(job) for job in self.jobs])
        head = ("task", "state", "score", "items", "reason")
        return Table(" · ".join(_row(self)), head, rows, frozenset({2, 3}), more)


class Results(ShownInTurn[Result]):
    """Results in order of benchmark and model."""

    def __init__(self, found: Sequence[Exported]) -> None:
        super().__init__(map(_result, found))
        self._found = tuple(found)

    def rows(self, kind: str = "jobs") -> list[dict[str, Any]]:
        """Give flat rows for a data frame: `jobs`, `items` or `rewards`."""
        return list(rows_of(kind, self._found))

    @property
    def table(self) -> Table:
        """Show scores with intervals and coverage."""
        rows, more = shortened([_row(one) for one in self])
        head = ("benchmark", "model", "score", "95 % interval", "coverage", "state")
        return Table(f"{len(self)} results", head, rows, frozenset({2}), more)


@dataclass(frozen=True)
class Compared(Shown):
    """Models of one benchmark side by side; `comparison` has pairs, flips and why some are not comparable."""

    comparison: Comparison

    @property
    def best(self) -> str | None:
        """Name the model that is better than every other by more than chance, if there is one."""
        return self.comparison.best

    @property
    def table(self) -> Table:
        """Show the models, the best score first."""
        found, rows = self.comparison, []
        for one in found.contenders:
            note = "best" if one.model == found.best else "; ".join(found.apart.get(one.model, ()))
            scored = one.scored
            rows.append((one.model, score(scored.overall), _limits(one.interval), str(scored.coverage), note))
        return Table(found.benchmark, _COMPARED, tuple(rows), frozenset({1}))


class Comparisons(ShownInTurn[Compared]):
    """A comparison for each benchmark; of one alone, its `best` and `comparison` are here, too."""

    @property
    def comparison(self) -> Comparison:
        """Give the comparison of the only benchmark; raise ScoresError when there are several."""
        return self._only().comparison

    @property
    def best(self) -> str | None:
        """Name the best model of the only benchmark, if there is one; raise ScoresError when there are several."""
        return self._only().best

    @property
    def table(self) -> Table:
        """Show the models of each benchmark, the best score first."""
        if len(self) == 1:
            return self._only().table
        rows = tuple((one.comparison.benchmark, *row) for one in self for row in one.table.rows)
        return Table(f"{len(self)} benchmarks", ("benchmark", *_COMPARED), rows, frozenset({2}))

    def _only(self) -> Compared:
        if len(self) != 1:
            names = ", ".join(one.comparison.benchmark for one in self)
            raise ScoresError(f"these are comparisons of {names}; take one of them, as by `[0]`")
        return self[0]


def results(
    bench: Names = None,
    *,
    model: Names = None,
    tasks: Names = None,
    every: bool = False,
    workspace: Where = None,
    results: Where = None,
) -> Results:
    """Read results: of each model the newest of each kind that is comparable, or with `every` all on disk.

    `bench` means what it means to `run`; of tasks that are named, the score is theirs alone. `results` is a results
    directory or a copy of one, instead of that of the workspace. Raise StoreError where there is no workspace,
    ScoresError for a name that means nothing; what was not run yet is no error.
    """
    return Results(_exported(bench, model, tasks, every, workspace, results))


def rewards(
    bench: Names = None,
    *,
    model: Names = None,
    tasks: Names = None,
    every: bool = False,
    workspace: Where = None,
    results: Where = None,
) -> Iterator[Reward]:
    """Yield the reward of each item for training, and of each job without items: see Reward; raise as `results`."""
    return rewards_of(_exported(bench, model, tasks, every, workspace, results))


def compare(
    bench: Names = None,
    models: Names = None,
    *,
    tasks: Names = None,
    env: Mapping[str, Any] | None = None,
    flips: bool = False,
    workspace: Where = None,
    results: Where = None,
) -> Comparisons:
    """Compare models of benchmarks: intervals, paired tests, and who cannot be compared and why.

    `env` chooses results by their variables in capitals; `flips` looks for the items on which models differ;
    `results` is as in `results()`. Raise ScoresError for names without results, StoreError where there is no workspace.
    """
    variables = {name: str(value) for name, value in env.items()} if env is not None else None
    here = _here(workspace)
    root = Workspace.find(here).results if results is None else results_at(Path(results))
    each = compared(
        root, named(bench), named(models), named(tasks), variables=variables, detail=True, flips=flips, here=here
    )
    return Comparisons([Compared(one) for one in each])


def _exported(
    bench: Names, model: Names, tasks: Names, every: bool, workspace: Where, results: Where
) -> list[Exported]:
    here = _here(workspace)
    if results is None:
        ws = Workspace.find(here)
        root, unrun = ws.results, unrun_of(ws.root)
    else:
        root, unrun = results_at(Path(results)), Unrun()
    scope = scope_of(root, named(bench), named(model), named(tasks), here=here, unrun=unrun)
    return exported(root, scope, every=every)


def _here(workspace: Where) -> Path:
    return Path.cwd() if workspace is None else Path(workspace)


def _result(one: Exported) -> Result:
    standing, coverage = one.standing, one.standing.coverage
    return Result(
        one.board.benchmark,
        standing.model,
        one.board.words,
        standing.state.value,
        standing.overall,
        standing.interval,
        (coverage.completed, coverage.declared),
        standing.when,
        one.jobs,
    )


def _row(one: Result) -> tuple[str, ...]:
    name = ", ".join((one.benchmark, *one.asked))
    coverage = f"{one.coverage[0]}/{one.coverage[1]}"
    return name, one.model, score(one.overall), _limits(one.interval), coverage, one.state


def _job_row(job: JobResult) -> tuple[str, ...]:
    name = job.id.task + (f"#{job.id.repeat}" if job.id.repeat else "")
    reason = job.reason.word if job.reason else ""
    return name, job.state.value, score(job.overall), str(job.counts or ""), reason


def _limits(interval: Interval | None) -> str:
    return f"{score(interval.low)} – {score(interval.high)}" if interval else ""
