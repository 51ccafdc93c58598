"""Which results on disk are meant: of each model the newest aggregate, all of them run with the same variables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchrouter.scores.collected import Listed, aggregates, variables_of
from benchrouter.scores.comparison.newer import newer_tasks
from benchrouter.scores.dates import AT_ONCE, when_of
from benchrouter.scores.problems import ScoresError
from benchrouter.spec.names import did_you_mean


@dataclass(frozen=True)
class Chosen:
    """The aggregate of one model that is shown; `variables` is None where no artifact is left that tells them.

    `newer` names the tasks that are looked at and of which a later run has other results.
    """

    listed: Listed
    variables: Mapping[str, str] | None
    newer: tuple[str, ...] = ()


def choose(
    results: Path,
    benchmark: str,
    models: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
    tasks: Collection[str] = (),
) -> list[Chosen]:
    """Choose one aggregate per model, in the order of `models`, else by name; raise ScoresError where there is none.

    With `tasks`, the newest that has them counts, whatever else it has, or that has most of them. Without
    `variables`, those with which most models were run count, none at all before others, the newest at last.
    A model that was not run with them is represented by its newest aggregate all the same.
    """
    by_model: dict[str, list[Chosen]] = {}
    for listed in aggregates(results, benchmark):
        by_model.setdefault(listed.model, []).append(Chosen(listed, variables_of(results, listed)))
    if not by_model:
        raise ScoresError(_no_results(results, benchmark))
    for model in models:
        if model not in by_model:
            known = f"; there are results of {_some(by_model)}"
            raise ScoresError(f"{benchmark}: no results of model `{model}`{did_you_mean(model, by_model) or known}")
    wanted = {model: by_model[model] for model in models or sorted(by_model)}
    if variables is not None:
        wanted = {model: with_them for model, found in wanted.items() if (with_them := _with(found, variables))}
        if not wanted:
            given = words(variables) or "no variable"
            raise ScoresError(f"{benchmark}: no results with {given}; there are some with {_asks(by_model)}")
    wanted = {model: _that_have(found, tasks) for model, found in wanted.items()}
    having = [found for found in wanted.values() if not {*tasks}.isdisjoint(found[0].listed.tasks)]
    common = _common(having or list(wanted.values())) if variables is None else variables
    chosen = [_newest(results, _with(found, common) or found, tasks) for found in wanted.values()]
    return [_with_newer(results, one, by_model[one.listed.model], tasks) for one in chosen]


def words(variables: Mapping[str, str]) -> str:
    """Write variables as they are typed."""
    return " ".join(f"{name}={value}" for name, value in sorted(variables.items()))


def benchmarks(results: Path) -> list[str]:
    """Name the benchmarks that have any aggregate."""
    return sorted({listed.benchmark for listed in aggregates(results)})


def _with(found: Iterable[Chosen], variables: Mapping[str, str] | None) -> list[Chosen]:
    return [chosen for chosen in found if chosen.variables == variables]


def _that_have(found: Sequence[Chosen], tasks: Collection[str]) -> list[Chosen]:
    had = [len({*tasks}.intersection(chosen.listed.tasks)) for chosen in found]
    return [chosen for chosen, number in zip(found, had, strict=True) if number == max(had)]


def _with_newer(results: Path, one: Chosen, found: Iterable[Chosen], tasks: Collection[str]) -> Chosen:
    others = [chosen.listed for chosen in _with(found, one.variables)]
    return replace(one, newer=newer_tasks(results, one.listed, others, tasks or one.listed.tasks))


def _common(groups: Sequence[Sequence[Chosen]]) -> Mapping[str, str] | None:
    """Find the variables that most models share."""
    asks = [{_ask(chosen): chosen for chosen in found} for found in groups]
    votes = Counter(ask for group in asks for ask in group)
    newest = {ask: max(_written(found, ask) for found in groups) for ask in votes}
    best = max(votes, key=lambda ask: (votes[ask], ask == (), ask is not None, newest[ask]))
    return None if best is None else dict(best)


def _ask(chosen: Chosen) -> tuple[tuple[str, str], ...] | None:
    return None if chosen.variables is None else tuple(sorted(chosen.variables.items()))


def _written(found: Iterable[Chosen], ask: tuple[tuple[str, str], ...] | None) -> int:
    return max((chosen.listed.written for chosen in found if _ask(chosen) == ask), default=0)


def _newest(results: Path, found: Sequence[Chosen], tasks: Collection[str]) -> Chosen:
    """Without `tasks`, prefer the headline, then what asked for most: a run of one task does not hide that of all."""
    most = max(map(_extent, found))
    widest = found if tasks else [chosen for chosen in found if _extent(chosen) == most]
    written = max(chosen.listed.written for chosen in widest)
    recent = [chosen for chosen in widest if chosen.listed.written >= written - AT_ONCE]
    if len(recent) == 1:
        return recent[0]
    return max(recent, key=lambda chosen: (when_of(results, chosen.listed), chosen.listed.path.name))


def _extent(chosen: Chosen) -> tuple[bool, int]:
    return chosen.listed.headline, len(chosen.listed.tasks)


def _no_results(results: Path, benchmark: str) -> str:
    there = benchmarks(results)
    if not there:
        return f"{results}: no results yet; `doit run` makes some"
    hint = did_you_mean(benchmark, there) or f"; there are results of {_some(there)}"
    return f"no results of benchmark `{benchmark}`{hint}"


def _asks(by_model: Mapping[str, Sequence[Chosen]]) -> str:
    asks = {words(c.variables) or "none" for found in by_model.values() for c in found if c.variables is not None}
    return " or ".join(sorted(asks)) or "variables that are not known any more"


def _some(names: Iterable[str]) -> str:
    listed = sorted(names)
    return ", ".join(listed[:6]) + (f" and {len(listed) - 6} more" if len(listed) > 6 else "")
