from __future__ import annotations

import math
import random
import time

import pytest
from scipy import stats

from benchrouter.scores.statistics.intervals import Interval, of_mean, of_score, wilson
from benchrouter.spec.aggregation import Aggregation

MEAN, ITEMS, MIN = Aggregation(), Aggregation("items"), Aggregation("min")


def limits(interval: Interval | None, digits: int = 4) -> tuple[float, float]:
    assert interval is not None
    return round(interval.low, digits), round(interval.high, digits)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [  # 0 of n: the upper limit is z²/(n+z²) = 3.8415/(10+3.8415); n of n mirrors it
        (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (8, 10, 0.4902, 0.9433),
        (0, 1, 0.0, 0.7935), (1, 2, 0.0945, 0.9055),
    ],
)  # fmt: skip
def test_wilson_by_hand(k: int, n: int, low: float, high: float) -> None:
    assert limits(wilson(k, n)) == (low, high)


@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (3, 7), (59, 100), (9_999, 10_000)])
def test_wilson_is_that_of_scipy(k: int, n: int) -> None:
    theirs = stats.binomtest(k, n).proportion_ci(method="wilson")
    ours = wilson(k, n)
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_no_scores_have_no_interval() -> None:
    assert wilson(0, 0) is of_mean([]) is of_score({}, MEAN) is of_score({"x": []}, MEAN) is None


def test_a_bootstrap_is_near_that_of_scipy_and_always_the_same() -> None:
    generator = random.Random(1)
    scores = [generator.random() ** 2 for _ in range(80)]
    drawn = stats.bootstrap((scores,), lambda x, axis: x.mean(axis=axis), method="percentile", rng=3)
    theirs = drawn.confidence_interval
    ours = of_mean(scores)
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.01)
    assert ours == of_mean(scores)


@pytest.mark.parametrize("scores", [[0.5], [0.5, 0.5], [0.2, 0.9], [0.7] * 30])
def test_where_there_is_nothing_to_draw_the_interval_is_wide(scores: list[float]) -> None:
    assert of_mean(scores) == wilson(math.fsum(scores), len(scores))


def test_a_perfect_score_is_no_certainty() -> None:
    """Neither for 0/1 scores nor for others: a bootstrap would say [1, 1]."""
    assert limits(of_mean([1.0] * 20)) == (0.8389, 1.0)
    assert limits(of_score({"x": [1.0] * 10, "y": [1.0] * 10}, MEAN))[0] < 0.9


def test_one_stratum_is_its_own_interval() -> None:
    scores = [1.0] * 8 + [0.0] * 2
    for rule in (MEAN, ITEMS, MIN, Aggregation("weighted", {"x": 3})):
        assert limits(of_score({"x": scores}, rule)) == (0.4902, 0.9433)


def test_strata_by_hand() -> None:
    """8/10 and 5/10: their variances, mixed with 0.65 x 0.35, make as many scores as 21.539 independent ones.

    (1.6 + 3.8415 x 0.2275) / 13.8415 / 10 = 0.017873, (2.5 + 0.87393) / 138.415 = 0.024375, a quarter of their sum is
    0.010562, and 0.2275 / 0.010562 = 21.539. Three to one: 0.725 and 17.979.
    """
    strata = {"x": [1.0] * 8 + [0.0] * 2, "y": [1.0] * 5 + [0.0] * 5}
    assert limits(of_score(strata, MEAN)) == limits(wilson(0.65 * 21.539, 21.539))
    three_to_one = Aggregation("weighted", {"x": 3, "y": 1})
    assert limits(of_score(strata, three_to_one)) == limits(wilson(0.725 * 17.979, 17.979))


def test_many_small_strata_are_one_large_sample() -> None:
    """Forty tasks of five items: what is cautious in each of them must not add up."""
    whole = {str(n): [1.0, 1.0, 1.0, 1.0, 0.0] for n in range(40)}
    found = of_score(whole, MEAN)
    assert limits(found, 3) == limits(wilson(160, 200), 3)


def test_a_stratum_of_weight_zero_does_not_count() -> None:
    strata = {"x": [1.0] * 8 + [0.0] * 2, "y": [0.0] * 10}
    assert limits(of_score(strata, Aggregation("weighted", {"x": 1, "y": 0}))) == (0.4902, 0.9433)
    assert of_score({"y": [0.0] * 10}, Aggregation("weighted", {"x": 1, "y": 0})) is None


def test_tasks_without_items_are_the_sample() -> None:
    assert limits(of_score({str(n): [float(n < 8)] for n in range(10)}, MEAN)) == (0.4902, 0.9433)
    half = Aggregation("weighted", {"0": 1, "1": 1, "2": 2})  # 4²/6 = 2.67 tasks
    assert of_score({"0": [1.0], "1": [0.0], "2": [0.5]}, half) == wilson(0.5 * 16 / 6, 16 / 6)


def test_the_lowest_task_has_the_lowest_limits() -> None:
    strata = {"x": [1.0] * 8 + [0.0] * 2, "y": [1.0] * 5 + [0.0] * 5}
    found, alone = of_score(strata, MIN), wilson(5, 10)
    assert found is not None and alone is not None
    assert found.low < alone.low and found.high > alone.high


@pytest.mark.parametrize(
    ("truths", "sizes"),
    [([0.9, 0.3], [20, 40]), ([0.95] * 20, [5] * 20), ([0.99, 0.5], [200, 5]), ([0.2, 0.9], [3, 3])],
)
def test_intervals_cover_what_they_should(truths: list[float], sizes: list[int]) -> None:
    """Of 400 drawn benchmarks, the true score is in about 95 % of the intervals."""
    generator, hits = random.Random(7), 0
    for _ in range(400):
        strata = {
            str(n): [float(generator.random() < truth) for _ in range(size)]
            for n, (truth, size) in enumerate(zip(truths, sizes, strict=True))
        }
        found = of_score(strata, MEAN)
        hits += found is not None and found.low <= sum(truths) / len(truths) <= found.high
    assert 0.92 <= hits / 400 <= 0.995


def test_ten_thousand_scores_are_quick() -> None:
    generator = random.Random(1)
    scores = [generator.random() for _ in range(10_000)]
    begin = time.process_time()
    of_mean(scores)
    assert time.process_time() - begin < 4
