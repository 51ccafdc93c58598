"""Tests of means over many pairs: normal for all purposes, so that nothing has to be drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping

from benchrouter.scores.statistics.differences import Pairs
from benchrouter.scores.statistics.intervals import MANY, weights_of
from benchrouter.spec.aggregation import Aggregation


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


def _shares(strata: Mapping[str, Pairs], rule: Aggregation) -> list[float]:
    """Say how much each pair of a stratum counts in the score."""
    weights = weights_of({task: [0.0] * len(pairs) for task, pairs in strata.items()}, rule)
    total = sum(weights.values())
    return [weights[task] / total / len(pairs) for task, pairs in strata.items()]
