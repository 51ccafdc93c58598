"""Tests of the difference of two models that were asked the same: by pairs of scores, in strata (tasks)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchrouter.scores.statistics.differences import Pairs, of_difference
from benchrouter.scores.statistics.intervals import SEED, Interval, weights_of
from benchrouter.scores.statistics.many import flips_of_many
from benchrouter.spec.aggregation import Aggregation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

FLIPS = 9_999
_EXACT = 12
_WORK = 20_000_000
_EPSILON = 1e-12


@dataclass(frozen=True)
class Difference:
    """A difference a - b of two scores under the declared rule, over what both were judged on.

    `p` is two-sided, None where nothing was paired; `method` names its test. `better`, `worse` and `same` count pairs.
    """

    difference: float | None
    interval: Interval | None
    p: float | None
    method: str
    better: int
    worse: int
    same: int

    @property
    def pairs(self) -> int:
        """Count all pairs."""
        return self.better + self.worse + self.same


def compare(strata: Mapping[str, Pairs], rule: Aggregation) -> Difference:
    """Test whether two models differ; the strata are tasks, the pairs scores (a, b) in 0..1 of the same item.

    McNemar's exact test where all pairs are 0/1 and weigh the same, else flips of signs.
    """
    strata = {task: pairs for task, pairs in strata.items() if pairs}
    every = [pair for pairs in strata.values() for pair in pairs]
    better, worse = sum(a > b for a, b in every), sum(a < b for a, b in every)
    counts = (better, worse, len(every) - better - worse)
    weights = weights_of({task: [0.0] * len(pairs) for task, pairs in strata.items()}, rule)
    if not every or not sum(weights.values()):
        return Difference(None, None, None, "none", *counts)
    difference = _difference(strata, rule)
    each = {weights[task] / len(pairs) for task, pairs in strata.items()}
    binary = all(score in (0, 1) for pair in every for score in pair)
    if binary and rule.rule not in ("min", "max") and max(each) - min(each) < _EPSILON:
        p, method = mcnemar(better, worse), "mcnemar-exact"
    else:
        p, method = sign_flips(strata, rule)
    return Difference(difference, of_difference(strata, rule), p, method, *counts)


def mean_differs(pairs: Pairs) -> tuple[float, float | None]:
    """Test the mean of one stratum: the difference and its p, None for no pairs."""
    if not pairs:
        return 0.0, None
    gap = math.fsum(a - b for a, b in pairs) / len(pairs)
    if all(score in (0, 1) for pair in pairs for score in pair):
        return gap, mcnemar(sum(a > b for a, b in pairs), sum(a < b for a, b in pairs))
    return gap, sign_flips({"": pairs}, Aggregation())[0]


def mcnemar(better: int, worse: int) -> float:
    """Give the exact two-sided p of McNemar's test: a binomial test of the pairs that differ against one half.

    McNemar, Psychometrika 12 (1947) 153-157; doubled smaller tail, at most 1; 1 when no pair differs.
    """
    n, term, tail = better + worse, 1, 0
    for k in range(min(better, worse) + 1):
        tail += term
        term = term * (n - k) // (k + 1)
    return min(1.0, 2 * tail / (1 << n)) if n else 1.0


def sign_flips(strata: Mapping[str, Pairs], rule: Aggregation) -> tuple[float, str]:
    """Test by exchanging a and b within pairs, each time with the declared score as statistic; give p and the method.

    Fisher, The Design of Experiments, 1935, section 21. All flips where at most twelve pairs differ, else 9,999 drawn
    ones with p = (hits + 1) / (draws + 1), which is valid for any number (Phipson and Smyth, Statistical Applications
    in Genetics and Molecular Biology 9 (2010), article 39). Of more than MANY pairs that differ nothing is drawn
    (`flips_of_many`).
    """
    import numpy as np

    if rule.rule not in ("min", "max") and (p := flips_of_many(strata, rule)) is not None:
        return p, "sign-flips-normal"
    totals = np.array([math.fsum(a + b for a, b in pairs) for pairs in strata.values()])
    gaps = [np.array([a - b for a, b in pairs if a != b], dtype=np.float64) for pairs in strata.values()]
    sizes = np.array([len(pairs) for pairs in strata.values()], dtype=np.float64)
    weights = _weights(strata, rule)
    differing = sum(map(len, gaps))
    if not differing:
        return 1.0, "sign-flips-exact"

    def statistic(flipped: Array) -> Array:
        first, second = (totals + flipped) / 2 / sizes, (totals - flipped) / 2 / sizes
        gap: Array = np.abs(_score(first, weights, rule) - _score(second, weights, rule))
        return gap

    observed = statistic(np.array([[gap.sum() for gap in gaps]]))[0]
    exact = differing <= _EXACT
    hits = statistic(_all_flips(gaps) if exact else _some_flips(gaps)) >= observed - 1e-9
    if exact:
        return float(hits.mean()), "sign-flips-exact"
    return float((hits.sum() + 1) / (len(hits) + 1)), "sign-flips"


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Adjust p values for being many (Holm, Scandinavian Journal of Statistics 6 (1979) 65-70); None stays None."""
    known = sorted((p, index) for index, p in enumerate(ps) if p is not None)
    adjusted: list[float | None] = [None] * len(ps)
    highest = 0.0
    for rank, (p, index) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        adjusted[index] = highest
    return adjusted


def _difference(strata: Mapping[str, Pairs], rule: Aggregation) -> float:
    import numpy as np

    means = np.array([[math.fsum(pair[side] for pair in pairs) / len(pairs) for pairs in strata.values()]
                      for side in (0, 1)])  # fmt: skip
    first, second = _score(means, _weights(strata, rule), rule)
    return float(first - second)


def _weights(strata: Mapping[str, Pairs], rule: Aggregation) -> Array:
    import numpy as np

    weights = weights_of({task: [0.0] * len(pairs) for task, pairs in strata.items()}, rule)
    return np.array([weights[task] for task in strata], dtype=np.float64)


def _score(means: Array, weights: Array, rule: Aggregation) -> Any:
    """Apply the declared rule to rows of stratum means."""
    if rule.rule in ("min", "max"):
        return means.min(axis=-1) if rule.rule == "min" else means.max(axis=-1)
    return means @ (weights / weights.sum())


def _all_flips(gaps: Sequence[Array]) -> Array:
    import numpy as np

    total = sum(map(len, gaps))
    signs = 1.0 - 2.0 * ((np.arange(1 << total)[:, None] >> np.arange(total)) & 1)
    ends = np.cumsum([0, *map(len, gaps)])
    return np.stack([signs[:, ends[n] : ends[n + 1]] @ gap for n, gap in enumerate(gaps)], axis=1)


def _some_flips(gaps: Sequence[Array]) -> Array:
    """Draw sums of randomly signed gaps; gaps of one size are drawn at once, as a binomial number."""
    import numpy as np

    generator = np.random.default_rng(SEED)
    sizes = [np.unique(np.abs(gap).round(12), return_counts=True) for gap in gaps]
    draws = int(min(FLIPS, max(1_999, _WORK / sum(len(size) for size, _ in sizes))))
    sums = np.zeros((draws, len(gaps)))
    for column, (values, counts) in enumerate(sizes):
        if len(values) > len(gaps[column]) // 8:
            for begin in range(0, draws, 200):
                shape = (min(200, draws - begin), len(gaps[column]))
                signs = generator.integers(0, 2, size=shape, dtype=np.int8)
                sums[begin : begin + 200, column] = (2.0 * signs - 1.0) @ gaps[column]
            continue
        for value, count in zip(values, counts, strict=True):
            sums[:, column] += value * (2.0 * generator.binomial(count, 0.5, size=draws) - count)
    return sums
