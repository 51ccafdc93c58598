"""What repeats tell: how much a score varies, and how often one of k tries, or each of them, is right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from benchrouter.scores.aggregate import mean


@dataclass(frozen=True)
class Spread:
    """Scores of repeats: how many, their mean, and their standard deviation, None for fewer than two."""

    n: int
    mean: float | None
    deviation: float | None


def spread(scores: Sequence[float]) -> Spread:
    """Describe scores of repeats; the deviation is that of a sample (divided by n - 1)."""
    if not scores:
        return Spread(0, None, None)
    middle = mean(scores)
    if len(scores) == 1:
        return Spread(1, middle, None)
    squares = math.fsum((score - middle) ** 2 for score in scores)
    return Spread(len(scores), middle, math.sqrt(squares / (len(scores) - 1)))


def pass_at(n: int, correct: int, k: int) -> float | None:
    """Estimate without bias how likely one of k tries is right, from n tries; None where k is not in 1..n.

    1 - C(n-c, k) / C(n, k): Chen et al., Evaluating Large Language Models Trained on Code, arXiv:2107.03374 (2021),
    section 2.1.
    """
    return 1 - math.comb(n - correct, k) / math.comb(n, k) if 1 <= k <= n else None


def pass_all(n: int, correct: int, k: int) -> float | None:
    """Estimate without bias how likely all of k tries are right (pass^k), from n tries; None where k is not in 1..n.

    C(c, k) / C(n, k): Yao et al., tau-bench, arXiv:2406.12045 (2024), section 4.
    """
    return math.comb(correct, k) / math.comb(n, k) if 1 <= k <= n else None
