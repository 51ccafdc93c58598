from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
import pytest
from scipy import stats

from benchrouter.scores.statistics.differences import Pairs, of_difference, tango
from benchrouter.scores.statistics.intervals import Interval
from benchrouter.spec.aggregation import Aggregation

MEAN, MIN, MAX = Aggregation(), Aggregation("min"), Aggregation("max")
WEIGHTED = Aggregation("weighted", {"x": 1, "y": 3})
Z2 = 1.959963984540054**2


def limits(found: Interval | None) -> tuple[float, float]:
    assert found is not None
    return found.low, found.high


def drawn(strata: Mapping[str, Pairs], weights: Mapping[str, float]) -> tuple[float, float]:
    """Bootstrap a weighted mean of differences, within strata, independently of the code under test."""
    generator, total = np.random.default_rng(7), 0.0
    for task, pairs in strata.items():
        gaps = np.array([a - b for a, b in pairs])
        means = gaps[generator.integers(0, len(gaps), size=(4_000, len(gaps)))].mean(axis=1)
        total = total + weights[task] * means
    low, high = np.quantile(total, [0.025, 0.975])
    return float(low), float(high)


@pytest.mark.parametrize(
    ("better", "worse", "n", "low", "high"),
    [
        (1, 7, 21, -0.517, -0.026),  # Fagerland, Lydersen and Laake (2014), airway hyper-responsiveness
        (0, 1, 44, -0.118, 0.059),  # Tango (1998), the crossover trial of contact lens disinfection
    ],
)
def test_published_intervals(better: int, worse: int, n: int, low: float, high: float) -> None:
    assert limits(tango(better, worse, n)) == pytest.approx((low, high), abs=0.0006)
    assert limits(tango(worse, better, n)) == pytest.approx((-high, -low), abs=0.0006)


@pytest.mark.parametrize("n", [2, 3, 5, 40, 5_000])
def test_edges_by_hand(n: int) -> None:
    """The equation of the limits, solved: without a pair that differs z²/(n+z²), where all do (n-z²)/(n+z²)."""
    half, lowest = Z2 / (n + Z2), (n - Z2) / (n + Z2)
    assert limits(of_difference({"x": [(1.0, 1.0)] * n}, MEAN)) == pytest.approx((-half, half))
    assert limits(of_difference({"x": [(1.0, 0.0)] * n}, MEAN)) == pytest.approx((lowest, 1.0))
    assert limits(of_difference({"x": [(0.0, 1.0)] * n}, MEAN)) == pytest.approx((-1.0, -lowest))


def test_at_zero_the_limit_is_mcnemars_test() -> None:
    """(b-c)²/(b+c) is z² where the interval ends at 0."""
    for better in (10, 13, 20, 30):
        for worse in range(better):
            significant = (better - worse) ** 2 / (better + worse) > Z2
            assert (tango(better, worse, 60).low > 0) is significant


@pytest.mark.parametrize("rule", [MEAN, Aggregation("items"), MIN, MAX, WEIGHTED], ids=str)
@pytest.mark.parametrize("pair", [(1.0, 0.0), (1.0, 1.0), (0.0, 0.0), (0.3, 0.3), (0.9, 0.4)])
@pytest.mark.parametrize("sizes", [(2,), (5,), (12,), (1, 1), (3, 3), (1, 7), (40, 20)])
def test_a_few_equal_differences_were_certainty(
    rule: Aggregation, pair: tuple[float, float], sizes: tuple[int, ...]
) -> None:
    """+1.0000 (+1.0000 to +1.0000) of two items; a tie of three with no width: the bootstrap had nothing to draw."""
    strata = {task: [pair] * n for task, n in zip("xy", sizes, strict=False)}
    low, high = limits(of_difference(strata, rule))
    assert -1 <= low <= pair[0] - pair[1] + 1e-12 and pair[0] - pair[1] - 1e-12 <= high <= 1
    assert high - low > 2 * Z2 / (sum(sizes) + Z2) / 3


def test_nothing_is_said_of_a_single_pair() -> None:
    assert of_difference({}, MEAN) is of_difference({"x": [], "y": [(1.0, 0.0)]}, MEAN) is None
    assert of_difference({"x": [(1.0, 0.0)], "y": [(0.0, 1.0)]}, Aggregation("weighted", {"x": 1, "y": 0})) is None


def test_other_scores_are_drawn_near_scipy_and_always_the_same() -> None:
    generator = random.Random(3)
    pairs = [(generator.random(), generator.random() * 0.8) for _ in range(60)]
    gaps = [a - b for a, b in pairs]
    theirs = stats.bootstrap((gaps,), lambda x, axis: x.mean(axis=axis), method="percentile", rng=3).confidence_interval
    for strata in ({"x": pairs}, {str(n): [pair] for n, pair in enumerate(pairs)}):
        assert limits(of_difference(strata, MEAN)) == pytest.approx((theirs.low, theirs.high), abs=0.02)
        assert of_difference(strata, MEAN) == of_difference(strata, MEAN)
    few = of_difference({"x": pairs[:9]}, MEAN)
    assert few == tango(sum(max(g, 0) for g in gaps[:9]), sum(max(-g, 0) for g in gaps[:9]), 9)


@pytest.mark.parametrize("sizes", [(200, 300), (1_000, 3_000)])
@pytest.mark.parametrize("binary", [True, False])
def test_many_pairs_in_tasks_say_what_drawing_would(sizes: tuple[int, int], *, binary: bool) -> None:
    generator = random.Random(4)
    strata: dict[str, Pairs] = {}
    for task, size in zip("xy", sizes, strict=True):
        raw = [(generator.random(), generator.random() + 0.1) for _ in range(size)]
        strata[task] = [(float(a < 0.6), float(b < 0.6)) if binary else (a, min(1.0, b)) for a, b in raw]
    for rule, weights in ((MEAN, {"x": 0.5, "y": 0.5}), (WEIGHTED, {"x": 0.25, "y": 0.75})):
        assert limits(of_difference(strata, rule)) == pytest.approx(drawn(strata, weights), abs=0.01)


def test_many_tasks_of_one_pair_say_what_drawing_would() -> None:
    generator = random.Random(4)
    pairs = [(float(generator.random() < 0.7), float(generator.random() < 0.6)) for _ in range(300)]
    weights = np.array([n % 3 for n in range(300)], dtype=float)
    rule = Aggregation("weighted", {str(n): n % 3 for n in range(300)})
    draws = np.random.default_rng(5).integers(0, 300, size=(4_000, 300))
    means = (weights * [a - b for a, b in pairs])[draws].sum(axis=1) / weights[draws].sum(axis=1)
    found = of_difference({str(n): [pair] for n, pair in enumerate(pairs)}, rule)
    assert limits(found) == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])), abs=0.02)


@pytest.mark.parametrize(("n", "p", "q"), [(5, 0.9, 0.2), (8, 0.5, 0.5), (20, 0.95, 0.8), (6, 1.0, 0.0)])
def test_intervals_hold_the_truth_as_often_as_they_say(n: int, p: float, q: float) -> None:
    """Of 400 samples of two tasks, near 95 %: at least 92."""
    generator, held = random.Random(1), 0
    for _ in range(400):
        strata = {t: [(float(generator.random() < p), float(generator.random() < q)) for _ in range(n)] for t in "xy"}
        low, high = limits(of_difference(strata, MEAN))
        held += low <= p - q <= high
    assert held / 400 >= 0.92


@pytest.mark.parametrize("rule", [MIN, MAX], ids=str)
def test_extremes_are_put_together_from_both_scores(rule: Aggregation) -> None:
    """Of one task the lowest score is its score: near Tango's, or wider since the pairs are not used."""
    pairs = [(1.0, 1.0)] * 20 + [(1.0, 0.0)] * 12 + [(0.0, 1.0)] * 4 + [(0.0, 0.0)] * 14
    wide, narrow = limits(of_difference({"x": pairs}, rule)), limits(of_difference({"x": pairs}, MEAN))
    assert wide[0] <= narrow[0] and wide[1] >= narrow[1]
    assert wide == pytest.approx(narrow, abs=0.1)
