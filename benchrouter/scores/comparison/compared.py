"""The comparison of the models of one benchmark: pairs tested, the best marked where it is best for certain."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from benchrouter.scores.comparison.choosing import choose
from benchrouter.scores.comparison.comparable import differences, groups
from benchrouter.scores.comparison.contender import Contender, Observations, contend
from benchrouter.scores.doubts import contradictions, losses, outdated
from benchrouter.scores.problems import ScoresError
from benchrouter.scores.statistics.paired import Difference, compare, holm, mean_differs
from benchrouter.scores.table import natural
from benchrouter.spec.names import did_you_mean

REAL = 0.05
"""A difference counts as real when its p, adjusted by Holm for all pairs of models, is below this."""


@dataclass(frozen=True)
class Pair:
    """Two comparable models; `adjusted` is p by Holm, `left_out` counts items that not both of them were judged on."""

    first: str
    second: str
    tested: Difference
    adjusted: float | None
    left_out: int

    @property
    def real(self) -> bool:
        """Tell whether the difference is real."""
        return self.adjusted is not None and self.adjusted < REAL


@dataclass(frozen=True)
class Flip:
    """An item on which comparable models do not agree: its score for each model that was judged on it."""

    task: str
    item: str
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Comparison:
    """Models of one benchmark, the best score first; `apart` says of each that is not comparable why.

    `best` is the one model that is better than every other for certain, None where there is none; `best_of` the same
    for tasks, None if that was not asked for.
    """

    benchmark: str
    contenders: tuple[Contender, ...]
    apart: Mapping[str, tuple[str, ...]]
    pairs: tuple[Pair, ...]
    best: str | None
    best_of: Mapping[str, str] | None
    flips: tuple[Flip, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Say what is doubtful: later results of a part, lost artifacts, scores that contradict their items."""
        jobs = [job for one in self.contenders for job in one.jobs]
        later = (text for one in self.contenders for text in outdated(self.benchmark, one.model, one.newer))
        return (*later, *losses(jobs), *contradictions(jobs))

    @property
    def family(self) -> int:
        """Count the pairs that were tested: those that Holm's adjustment is for."""
        return sum(pair.adjusted is not None for pair in self.pairs)

    @property
    def comparable(self) -> tuple[Contender, ...]:
        """Give those that are compared with each other."""
        return tuple(one for one in self.contenders if one.model not in self.apart)


def compare_models(
    results: Path,
    benchmark: str,
    models: Sequence[str] = (),
    *,
    tasks: Collection[str] = (),
    variables: Mapping[str, str] | None = None,
    detail: bool = False,
    flips: bool = False,
) -> Comparison:
    """Compare what is on disk under `results`; raise ScoresError for a name that is not there.

    `detail` looks for the best in each task too, `flips` lists the items on which models differ.
    """
    chosen = choose(results, benchmark, models, variables, tasks)
    known = list(dict.fromkeys(task for one in chosen for task in one.listed.tasks))
    for task in tasks:
        if task not in known:
            raise ScoresError(f"{benchmark}: no results of task `{task}`{did_you_mean(task, known)}")
    contenders = [contend(results, one, set(tasks) if tasks else None) for one in chosen]
    ordered = sorted((one for one in contenders if one.jobs), key=lambda one: -_overall(one))
    return _compared(benchmark, ordered, detail=detail, flips=flips)


def _compared(benchmark: str, contenders: Sequence[Contender], *, detail: bool, flips: bool) -> Comparison:
    together, *others = groups(contenders) or [[]]
    reasons = {one.model: tuple(differences(one, together[0])) for group in others for one in group}
    pairs = _pairs(together)
    return Comparison(
        benchmark,
        tuple(contenders),
        reasons,
        pairs,
        _best(together, pairs),
        _best_of(together) if detail else None,
        tuple(_flips(together)) if flips else (),
    )


def _overall(one: Contender) -> float:
    return -1.0 if one.scored.overall is None else one.scored.overall


def _pairs(contenders: Sequence[Contender]) -> tuple[Pair, ...]:
    tested, names, left = [], [], []
    for first, second in combinations(contenders, 2):
        strata, left_out = paired(first.observations, second.observations)
        tested.append(compare(strata, first.rule))
        names.append((first.model, second.model))
        left.append(left_out)
    adjusted = holm([one.p for one in tested])
    return tuple(Pair(*names[n], tested[n], adjusted[n], left[n]) for n in range(len(names)))


def paired(
    first: Mapping[str, Observations], second: Mapping[str, Observations]
) -> tuple[dict[str, list[tuple[float, float]]], int]:
    """Pair the observations of two models by task and item; count those that have no partner."""
    strata: dict[str, list[tuple[float, float]]] = {}
    left_out = 0
    for task in first.keys() | second.keys():
        one, other = first.get(task, {}), second.get(task, {})
        if one and other and ("" in one) != ("" in other):  # one of them wrote no items: the task is the item
            one, other = {"": _mean(one)}, {"": _mean(other)}
        strata[task] = [(score, other[item]) for item, score in one.items() if item in other]
        left_out += len(one) + len(other) - 2 * len(strata[task])
    return {task: strata[task] for task in sorted(strata)}, left_out


def _mean(scores: Observations) -> float:
    return math.fsum(scores.values()) / len(scores)


def _best(contenders: Sequence[Contender], pairs: Sequence[Pair]) -> str | None:
    if len(contenders) < 2:
        return None
    first = contenders[0].model
    own = [pair for pair in pairs if pair.first == first]
    clear = all(pair.real and (pair.tested.difference or 0) > 0 for pair in own)
    return first if clear else None


def _best_of(contenders: Sequence[Contender]) -> dict[str, str]:
    """Find the best of each task; Holm's family is all pairs of models in all tasks."""
    tasks = list(dict.fromkeys(task for one in contenders for task in one.tasks))
    leads: list[tuple[str, str, int]] = []
    ps: list[float | None] = []
    for task in tasks:
        for one, other in combinations(contenders, 2):
            strata, _ = paired({task: one.observations.get(task, {})}, {task: other.observations.get(task, {})})
            gap, p = mean_differs(strata[task])
            leads.append((task, one.model if gap > 0 else other.model, len(ps)))
            ps.append(p if gap else None)
    adjusted = holm(ps)
    wins: dict[tuple[str, str], int] = {}
    for task, model, index in leads:
        p = adjusted[index]
        wins[task, model] = wins.get((task, model), 0) + (p is not None and p < REAL)
    return {task: model for (task, model), count in wins.items() if count == len(contenders) - 1 and count}


def _flips(contenders: Sequence[Contender]) -> list[Flip]:
    found: list[Flip] = []
    for task in dict.fromkeys(task for one in contenders for task in one.tasks):
        items = sorted({item for one in contenders for item in one.judged.get(task, {})}, key=natural)
        for item in items:
            scores = {
                one.model: one.judged[task][item]
                for one in contenders
                if item in one.judged.get(task, {})
            }
            if len(set(scores.values())) > 1:
                found.append(Flip(task, item, scores))
    return found
