"""Confidence intervals of the difference of two models that were asked the same, made as those of one score are.

A stratum is a task, its observations pairs of scores (a, b) in 0..1 of the same item. Items are the sample; only where
each task has one pair, the tasks are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from benchrouter.scores.statistics.intervals import (
    FEW,
    LEVEL,
    Interval,
    normal_quantile,
    of_score,
    sampled,
    weights_of,
)
from benchrouter.spec.aggregation import Aggregation

Pairs = Sequence[tuple[float, float]]
_HALVINGS = 60


def of_difference(strata: Mapping[str, Pairs], rule: Aggregation, level: float = LEVEL) -> Interval | None:
    """Give the interval of the difference a - b of two scores under their declared rule; None for fewer than two pairs.

    One stratum has the interval of its mean, several have Tango's with the effective number of pairs (`_combined`).
    """
    weights = weights_of({task: [0.0] * len(pairs) for task, pairs in strata.items()}, rule)
    counted = [(weights[task], pairs) for task, pairs in strata.items() if pairs and weights[task]]
    if sum(len(pairs) for _, pairs in counted) < 2:
        return None
    if rule.rule in ("min", "max"):
        return _of_extremes(strata, rule, level)
    if all(len(pairs) == 1 for _, pairs in counted):
        return _of_tasks([(weight, pairs[0]) for weight, pairs in counted], level)
    return _of_mean(counted[0][1], level) if len(counted) == 1 else _combined(counted, level)


def tango(better: float, worse: float, n: float, level: float = LEVEL) -> Interval:
    """Give the score interval of the difference of two paired proportions, of n pairs of which so many differ.

    Tango, Statistics in Medicine 17 (1998) 891-908; set against others by Fagerland, Lydersen and Laake, Statistics in
    Medicine 33 (2014) 2850-2875. The limits are where the score test, which is McNemar's at 0, is just at `level`.
    `better` and `worse` may be sums of gaps in 0..1: the variance of such gaps is at most that of gaps of -1, 0 and 1
    with the same sums, so the interval is then wide rather than narrow, as Wilson's is for one score.
    """
    z, middle = normal_quantile(level), (better - worse) / n

    def limit(far: float) -> float:
        near = middle
        for _ in range(_HALVINGS):
            tried = (near + far) / 2
            if _score_statistic(better, worse, n, tried) <= z:
                near = tried
            else:
                far = tried
        return near

    return Interval(-1.0 if middle <= -1 else limit(-1.0), 1.0 if middle >= 1 else limit(1.0))


def _score_statistic(better: float, worse: float, n: float, delta: float) -> float:
    """Give how many standard errors the difference is from `delta`, with the restricted estimate of `worse`."""
    b = (2 * n - better + worse) * delta - better - worse
    c = -worse * delta * (1 - delta)
    q = (math.sqrt(max(0.0, b * b - 8 * n * c)) - b) / (4 * n)
    variance = n * (2 * q + delta * (1 - delta))
    gap = abs(better - worse - n * delta)
    return gap / math.sqrt(variance) if variance > 0 else math.inf if gap > 0 else 0.0


def _of_mean(pairs: Pairs, level: float) -> Interval:
    """Take Tango's for scores of 0 and 1, below ten pairs, or where all gaps are equal: there is nothing to draw."""
    gaps = [a - b for a, b in pairs]
    binary = all(score in (0, 1) for pair in pairs for score in pair)
    if binary or len(gaps) < FEW or min(gaps) == max(gaps):
        return tango(*_sums(gaps), len(gaps), level)
    return sampled(gaps, level, least=-1.0)


def _of_tasks(tasks: Sequence[tuple[float, tuple[float, float]]], level: float) -> Interval:
    """Take tasks as the sample; unequal weights make it smaller (Kish, Survey Sampling, 1965: (sum w)²/sum w²)."""
    weights = [weight for weight, _ in tasks]
    if len(set(weights)) == 1:
        return _of_mean([pair for _, pair in tasks], level)
    size = sum(weights) ** 2 / sum(weight * weight for weight in weights)
    better, worse = _sums([weight * (a - b) for weight, (a, b) in tasks])
    return tango(better / sum(weights) * size, worse / sum(weights) * size, size, level)


def _combined(strata: Sequence[tuple[float, Pairs]], level: float) -> Interval:
    """Give Tango's with the number of independent pairs that would have the variance of the weighted difference.

    As for one score (`intervals`): each stratum's variance is mixed with that of gaps of -1, 0 and 1 with the overall
    sums, which counts z² pairs, so that a few equal gaps are no certainty.
    """
    total = sum(weight for weight, _ in strata)
    sums = [(weight / total / len(pairs), _sums([a - b for a, b in pairs])) for weight, pairs in strata]
    better = math.fsum(share * up for share, (up, _) in sums)
    worse = math.fsum(share * down for share, (_, down) in sums)
    widest, pseudo = better + worse - (better - worse) ** 2, normal_quantile(level) ** 2
    variance = unit = 0.0
    for weight, pairs in strata:
        n, share = len(pairs), (weight / total) ** 2
        own = math.fsum(a - b for a, b in pairs) / n
        squares = math.fsum((a - b - own) ** 2 for a, b in pairs)
        variance += share * (squares + pseudo * widest) / (n + pseudo) / n
        unit += share / n
    size = widest / variance if variance > 0 and widest > 0 else 1 / unit
    return tango(better * size, worse * size, size, level)


def _of_extremes(strata: Mapping[str, Pairs], rule: Aggregation, level: float) -> Interval | None:
    """Put the intervals of both scores together, as if they were independent: wide rather than narrow for pairs.

    Zou and Donner, Statistics in Medicine 27 (2008) 1693-1702.
    """
    sides = [{task: [pair[side] for pair in pairs] for task, pairs in strata.items() if pairs} for side in (0, 1)]
    choose = min if rule.rule == "min" else max
    a, b = (choose(math.fsum(scores) / len(scores) for scores in side.values()) for side in sides)
    first, second = (of_score(side, rule, level) for side in sides)
    if first is None or second is None:
        return None
    low = a - b - math.hypot(a - first.low, second.high - b)
    high = a - b + math.hypot(first.high - a, b - second.low)
    return Interval(max(-1.0, low), min(1.0, high))


def _sums(gaps: Sequence[float]) -> tuple[float, float]:
    """Sum up the gaps above and below 0."""
    return math.fsum(gap for gap in gaps if gap > 0), math.fsum(-gap for gap in gaps if gap < 0)
