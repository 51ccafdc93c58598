"""Differences of means over many pairs: normal for all purposes, so that nothing has to be drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist

from benchrouter.scores.statistics.intervals import MANY, Interval, weights_of
from benchrouter.spec.aggregation import Aggregation

Pairs = Sequence[tuple[float, float]]
_STRATA = 100


def are_many(strata: Mapping[str, Pairs]) -> bool:
    """Tell whether pairs, or strata of them, are so many."""
    return sum(map(len, strata.values())) > MANY or len(strata) > _STRATA


def flips_of_many(strata: Mapping[str, Pairs], rule: Aggregation) -> float | None:
    """Give the p of flips of signs; None where no more than MANY pairs differ.

    A sum of flipped gaps has mean 0 and the sum of their squares as variance, whatever they are.
    """
    shares = zip(_shares(strata, rule), strata.values(), strict=True)
    gaps = [share * (a - b) for share, pairs in shares for a, b in pairs if a != b]
    if len(gaps) <= MANY:
        return None
    spread = math.sqrt(math.fsum(gap * gap for gap in gaps))
    return math.erfc(abs(math.fsum(gaps)) / spread / math.sqrt(2)) if spread else 1.0


def interval_of_many(strata: Mapping[str, Pairs], rule: Aggregation, level: float) -> Interval:
    """Give the interval to which the bootstrap comes: pairs drawn within strata, or strata of one pair each."""
    shares = _shares(strata, rule)
    gaps = [[a - b for a, b in pairs] for pairs in strata.values()]
    middle = math.fsum(share * gap for share, own in zip(shares, gaps, strict=True) for gap in own)
    alone = all(len(own) == 1 for own in gaps)
    variance = 0.0
    for share, own in zip(shares, gaps, strict=True):
        # Drawn strata bring their weights along: what counts is how far each is from the mean of all.
        centre = middle if alone else math.fsum(own) / len(own)
        variance += share * share * math.fsum((gap - centre) ** 2 for gap in own)
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(variance)
    return Interval(max(-1.0, middle - half), min(1.0, middle + half))


def _shares(strata: Mapping[str, Pairs], rule: Aggregation) -> list[float]:
    """Say how much each pair of a stratum counts in the score."""
    weights = weights_of({task: [0.0] * len(pairs) for task, pairs in strata.items()}, rule)
    total = sum(weights.values())
    return [weights[task] / total / len(pairs) for task, pairs in strata.items()]
