from __future__ import annotations

import random
import time

import numpy as np
import pytest
from scipy import stats

from benchrouter.scores.statistics.paired import Pairs, compare, holm, mcnemar, sign_flips
from benchrouter.spec.aggregation import Aggregation

MEAN, ITEMS, MIN = Aggregation(), Aggregation("items"), Aggregation("min")


def binary(both: int, first: int, second: int, none: int = 0) -> list[tuple[float, float]]:
    return [(1.0, 1.0)] * both + [(1.0, 0.0)] * first + [(0.0, 1.0)] * second + [(0.0, 0.0)] * none


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [  # by hand: twice the smaller tail of a binomial with one half
        (0, 0, 1.0), (1, 0, 1.0), (2, 0, 0.5), (5, 0, 2 / 32), (6, 0, 2 / 64), (1, 1, 1.0), (4, 4, 1.0),
        (8, 1, 2 * (1 + 9) / 512), (2, 10, 2 * (1 + 12 + 66) / 4096),
    ],
)  # fmt: skip
def test_mcnemar_by_hand(better: int, worse: int, p: float) -> None:
    assert mcnemar(better, worse) == mcnemar(worse, better) == pytest.approx(p)


@pytest.mark.parametrize(("better", "worse"), [(3, 11), (40, 71), (4_900, 5_100), (1, 2_000)])
def test_mcnemar_is_the_binomial_test_of_scipy(better: int, worse: int) -> None:
    assert mcnemar(better, worse) == pytest.approx(stats.binomtest(better, better + worse).pvalue, rel=1e-9)


def test_zero_one_pairs_get_mcnemar() -> None:
    found = compare({"x": binary(10, 8, 1, 5)}, MEAN)
    assert (found.better, found.worse, found.same, found.pairs) == (8, 1, 15, 24)
    assert found.difference == pytest.approx(7 / 24)
    assert (found.method, found.p) == ("mcnemar-exact", pytest.approx(20 / 512))
    assert found.interval is not None and found.interval.low > 0


def test_flips_of_one_stratum_are_mcnemar() -> None:
    """The two tests are one where they meet: all flips of 0/1 pairs are a binomial number."""
    p, method = sign_flips({"x": binary(3, 8, 1)}, MEAN)
    assert (p, method) == (pytest.approx(mcnemar(8, 1)), "sign-flips-exact")
    drawn, method = sign_flips({"x": binary(3, 30, 15)}, MEAN)
    assert (drawn, method) == (pytest.approx(mcnemar(30, 15), abs=0.01), "sign-flips")


def test_flips_are_those_of_scipy() -> None:
    generator = random.Random(5)
    a = [generator.random() for _ in range(10)]
    b = [generator.random() * 0.7 for _ in range(10)]
    theirs = stats.permutation_test(
        (a, b), lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis), permutation_type="samples"
    )
    p, method = sign_flips({"x": list(zip(a, b, strict=True))}, MEAN)
    assert (p, method) == (pytest.approx(theirs.pvalue), "sign-flips-exact")
    alone = {str(n): [pair] for n, pair in enumerate(zip(a, b, strict=True))}
    assert sign_flips(alone, MEAN)[0] == pytest.approx(theirs.pvalue)


def test_unequal_shards_are_tested_by_the_declared_score() -> None:
    """By items a is better, by tasks b is: the sign of the difference follows the declaration."""
    strata: dict[str, Pairs] = {"large": binary(0, 30, 0, 70), "small": binary(0, 0, 4, 1)}
    by_task, by_item = compare(strata, MEAN), compare(strata, ITEMS)
    assert by_task.difference == pytest.approx((0.3 - 0.8) / 2)
    assert by_item.difference == pytest.approx(26 / 105)
    assert (by_task.method, by_item.method) == ("sign-flips", "mcnemar-exact")
    assert by_item.p is not None and by_item.p < 1e-5


def test_equal_shards_are_one_set() -> None:
    found = compare({"x": binary(2, 6, 0, 2), "y": binary(9, 1, 0, 0)}, MEAN)
    assert (found.method, found.p) == ("mcnemar-exact", pytest.approx(2 / 128))


def test_the_lowest_task_is_tested_too() -> None:
    found = compare({"x": binary(0, 8, 0, 0), "y": binary(8, 0, 0, 0)}, MIN)
    assert (found.difference, found.method) == (pytest.approx(1.0), "sign-flips-exact")
    assert found.p == pytest.approx(2 / 256)


@pytest.mark.parametrize("rule", [MEAN, ITEMS, MIN, Aggregation("weighted", {"x": 1})], ids=str)
def test_few_pairs_and_ties_behave(rule: Aggregation) -> None:
    none = compare({}, rule)
    assert (none.difference, none.interval, none.p, none.pairs) == (None, None, None, 0)
    assert compare({"x": []}, rule) == none
    one = compare({"x": [(1.0, 0.0)]}, rule)
    assert (one.difference, one.interval, one.p) == (1.0, None, 1.0)
    two = compare({"x": [(1.0, 0.0), (0.9, 0.0)]}, rule)
    assert (two.p, two.method) == (0.5, "sign-flips-exact")
    tie = compare({"x": [(0.3, 0.3)] * 40}, rule)
    assert (tie.difference, tie.p, tie.same) == (pytest.approx(0.0), 1.0, 40)
    assert tie.interval is not None and tie.interval.low < 0 < tie.interval.high


def test_weights_that_leave_out_all_that_is_paired() -> None:
    found = compare({"x": binary(1, 5, 0)}, Aggregation("weighted", {"x": 0, "y": 1}))
    assert (found.difference, found.p, found.pairs) == (None, None, 6)


def test_holm_by_hand() -> None:
    """Sorted 0.005 x 4, 0.01 x 3, 0.03 x 2, 0.04 x 1, never falling."""
    assert holm([0.01, 0.04, None, 0.03, 0.005]) == pytest.approx([0.03, 0.06, None, 0.06, 0.02])
    assert holm([]) == [] and holm([None]) == [None] and holm([0.7, 0.6]) == [1.0, 1.0]


def test_a_difference_that_is_not_there_is_seldom_found() -> None:
    """Of 300 pairs of equal models, at most about 5 % differ at 0.05."""
    generator, found = random.Random(11), 0
    for _ in range(300):
        strata = {
            task: [(float(generator.random() < 0.6), float(generator.random() < 0.6)) for _ in range(size)]
            for task, size in (("x", 5), ("y", 9))
        }
        p = compare(strata, MEAN).p
        found += p is not None and p <= 0.05
    assert found / 300 <= 0.07


@pytest.mark.parametrize("digits", [0, 1, 12])
def test_ten_thousand_pairs_are_quick(digits: int) -> None:
    generator = random.Random(2)
    pairs = [(round(generator.random(), digits), round(generator.random(), digits)) for _ in range(10_000)]
    begin = time.process_time()
    compare({"x": pairs[:4_000], "y": pairs[4_000:]}, MEAN)
    assert time.process_time() - begin < 4


@pytest.mark.parametrize("rule", [MEAN, ITEMS, Aggregation("weighted", {"x": 1, "y": 3})], ids=str)
def test_many_pairs_say_what_drawing_would(monkeypatch: pytest.MonkeyPatch, rule: Aggregation) -> None:
    """The same pairs, once as many and once drawn: p agrees."""
    generator = random.Random(4)
    pairs = [(generator.random(), generator.random() - 0.02) for _ in range(4_000)]
    strata: dict[str, Pairs] = {"x": pairs[:1_000], "y": pairs[1_000:]}
    exact = compare(strata, rule)
    assert exact.method == "sign-flips-normal"
    monkeypatch.setattr("benchrouter.scores.statistics.many.MANY", 10_000)
    drawn = compare(strata, rule)
    assert drawn.method == "sign-flips"
    assert exact.p == pytest.approx(drawn.p, abs=0.02)
