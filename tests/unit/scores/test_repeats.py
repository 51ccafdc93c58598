from __future__ import annotations

import statistics
from itertools import combinations

import pytest

from benchrouter.scores.statistics.repeats import Spread, pass_all, pass_at, spread


def test_spread() -> None:
    assert spread([]) == Spread(0, None, None)
    assert spread([0.4]) == Spread(1, 0.4, None)
    assert spread([0.2, 0.8]) == Spread(2, pytest.approx(0.5), pytest.approx(0.18**0.5))
    assert spread([0.8] * 3) == Spread(3, 0.8, 0.0)  # not 0.8000000000000002 and 1.4e-16
    scores = [0.1, 0.4, 0.4, 0.9]
    assert spread(scores).deviation == pytest.approx(statistics.stdev(scores))


@pytest.mark.parametrize("n", [1, 2, 5, 7])
def test_pass_is_the_mean_over_all_choices(n: int) -> None:
    """Which is what "unbiased" means: k of the n tries, each choice as likely."""
    for correct in range(n + 1):
        tries = [1] * correct + [0] * (n - correct)
        for k in range(1, n + 1):
            chosen = list(combinations(tries, k))
            assert pass_at(n, correct, k) == pytest.approx(sum(map(max, chosen)) / len(chosen))
            assert pass_all(n, correct, k) == pytest.approx(sum(map(min, chosen)) / len(chosen))


def test_pass_by_hand() -> None:
    """Ten tries, three right: 1 - C(7,2)/C(10,2) = 1 - 21/45, and C(3,2)/C(10,2) = 3/45."""
    assert (pass_at(10, 3, 2), pass_all(10, 3, 2)) == (pytest.approx(24 / 45), pytest.approx(3 / 45))
    assert (pass_at(10, 3, 1), pass_all(10, 3, 1)) == (pytest.approx(0.3), pytest.approx(0.3))


@pytest.mark.parametrize(("n", "k"), [(0, 1), (3, 0), (3, 4)])
def test_what_cannot_be_told(n: int, k: int) -> None:
    assert pass_at(n, 0, k) is pass_all(n, 0, k) is None
