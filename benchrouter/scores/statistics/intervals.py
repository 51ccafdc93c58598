"""Confidence intervals of one model's score.

A stratum is a task, its observations the scores of its items, or its own score where it has no items. Items are the
sample; the tasks of a benchmark are given, so that their number adds no uncertainty of its own. Only where no task has
items, the tasks are the sample.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from benchrouter.scores.aggregate import weighted_mean
from benchrouter.spec.aggregation import Aggregation

LEVEL = 0.95
ROUNDS = 2000
"""Rounds of a bootstrap: the limits of an interval are then good to about a tenth of its width."""
SEED = 20260101
MANY = 2000
"""Of more scores than this a mean is normal for all purposes, and nothing is drawn."""
FEW = 10
"""Below so many scores nothing is drawn: they say too little of how far scores may vary."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Limits of a score or of a difference, at LEVEL unless said otherwise."""

    low: float
    high: float

    def to_json(self) -> list[float]:
        """Give [low, high], in six digits: more is noise."""
        return [round(self.low, 6), round(self.high, 6)]


def wilson(successes: float, n: float, level: float = LEVEL) -> Interval | None:
    """Give the score interval of a proportion; None for n = 0.

    Wilson, JASA 22 (1927) 209-212; recommended for small n and for proportions near 0 and 1 by Brown, Cai and
    DasGupta, Statistical Science 16 (2001) 101-133. `successes` may be a sum of scores in 0..1: their variance is at
    most p(1-p), that of 0/1 scores with the same mean, so the interval is then wide rather than narrow.
    """
    if n <= 0:
        return None
    z, p = normal_quantile(level), successes / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # At the ends the formula gives p itself but for rounding.
    return Interval(0.0 if p <= 0 else max(0.0, centre - half), 1.0 if p >= 1 else min(1.0, centre + half))


def of_mean(scores: Sequence[float], level: float = LEVEL) -> Interval | None:
    """Give the interval of the mean of scores in 0..1; None for no scores.

    Wilson's for 0/1 scores. For others the percentile bootstrap (Efron and Tibshirani, An Introduction to the
    Bootstrap, 1993, chapter 13), but Wilson's again below ten scores or where all are equal: there is nothing to draw.
    Of more than MANY scores the normal interval, to which the bootstrap comes.
    """
    if len(scores) < FEW or min(scores) == max(scores) or all(score in (0, 1) for score in scores):
        return wilson(math.fsum(scores), len(scores), level)
    return sampled(scores, level)


def sampled(values: Sequence[float], level: float = LEVEL, least: float = 0.0) -> Interval:
    """Give the interval of the mean of values in `least`..1 that vary, by the bootstrap or its limit for many."""
    if len(values) > MANY:
        middle = math.fsum(values) / len(values)
        half = normal_quantile(level) * math.sqrt(math.fsum((each - middle) ** 2 for each in values)) / len(values)
        return Interval(max(least, middle - half), min(1.0, middle + half))
    import numpy as np

    drawn = np.asarray(values)
    draws = np.random.default_rng(SEED).integers(0, len(drawn), size=(ROUNDS, len(drawn)), dtype=np.int32)
    low, high = np.quantile(drawn[draws].mean(axis=1), [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def of_score(strata: Mapping[str, Sequence[float]], rule: Aggregation, level: float = LEVEL) -> Interval | None:
    """Give the interval of a benchmark's score under its declared rule; None where there is nothing to tell.

    One stratum has the interval of its mean, several have Wilson's with the effective number of scores (`_combined`).
    `min` and `max` take the lowest and highest limits, each at a level that holds for all strata together (Šidák,
    JASA 62 (1967) 626-633): wide rather than narrow.
    """
    strata = {task: scores for task, scores in strata.items() if scores}
    weights = weights_of(strata, rule)
    if not strata or not sum(weights.values()):
        return None
    if rule.rule in ("min", "max"):
        each = [of_mean(scores, level ** (1 / len(strata))) for scores in strata.values()]
        choose = min if rule.rule == "min" else max
        return Interval(choose(i.low for i in each if i), choose(i.high for i in each if i))
    if all(len(scores) == 1 for scores in strata.values()):
        return _of_tasks([scores[0] for scores in strata.values()], [weights[task] for task in strata], level)
    counted = [(weights[task], scores) for task, scores in strata.items() if weights[task]]
    return of_mean(counted[0][1], level) if len(counted) == 1 else _combined(counted, level)


def weights_of(strata: Mapping[str, Sequence[float]], rule: Aggregation) -> dict[str, float]:
    """Say how much each stratum weighs in the mean over them; equal for `min` and `max`, which have no mean."""
    if rule.rule == "weighted":
        return {task: rule.weights.get(task, 0.0) for task in strata}
    return {task: float(len(scores)) if rule.rule == "items" else 1.0 for task, scores in strata.items()}


def _of_tasks(scores: Sequence[float], weights: Sequence[float], level: float) -> Interval | None:
    """Take tasks as the sample; unequal weights make it smaller (Kish, Survey Sampling, 1965: (sum w)²/sum w²)."""
    if len(set(weights)) == 1:
        return of_mean(scores, level)
    size = sum(weights) ** 2 / sum(weight * weight for weight in weights)
    mean = weighted_mean(list(zip(scores, weights, strict=True))) or 0.0
    return wilson(mean * size, size, level)


def _combined(strata: Sequence[tuple[float, Sequence[float]]], level: float) -> Interval | None:
    """Give Wilson's interval with the number of independent scores that would have the variance of the weighted mean.

    Recommended for stratified samples by Franco, Little, Louis and Slud, Journal of Survey Statistics and Methodology
    7 (2019) 334-364, after Korn and Graubard, Survey Methodology 24 (1998) 193-201. Each stratum's variance is mixed
    with that of 0/1 scores of the overall mean, which counts z² scores, so that a few equal scores are no certainty.
    """
    total = sum(weight for weight, _ in strata)
    means = [math.fsum(scores) / len(scores) for _, scores in strata]
    mean = weighted_mean([(own, weight) for own, (weight, _) in zip(means, strata, strict=True)]) or 0.0
    widest, pseudo = mean * (1 - mean), normal_quantile(level) ** 2
    variance = unit = 0.0
    for own, (weight, scores) in zip(means, strata, strict=True):
        n, share = len(scores), (weight / total) ** 2
        squares = math.fsum((score - own) ** 2 for score in scores)
        variance += share * (squares + pseudo * widest) / (n + pseudo) / n
        unit += share / n
    size = widest / variance if variance > 0 else 1 / unit
    return wilson(mean * size, size, level)


def normal_quantile(level: float) -> float:
    """Give how many standard deviations a two-sided interval of this level reaches."""
    return NormalDist().inv_cdf((1 + level) / 2)
