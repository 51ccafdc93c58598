"""Intervals are shown where they say something of the score beside them."""

from __future__ import annotations

import pytest
from shelf import Shelf

from benchrouter.scores.boards import boards
from benchrouter.scores.collected import aggregates, jobs_of
from benchrouter.scores.limits import limits_of_job
from benchrouter.scores.statistics.intervals import wilson


def test_a_score_that_is_not_the_mean_of_its_items_has_no_interval(shelf: Shelf) -> None:
    shelf.add("m", "other", [1] * 30, overall=0.1)
    shelf.add("n", "mean", [1, 0, None])
    shelf.settle()
    other, mean = (jobs_of(shelf.root, listed)[0] for listed in aggregates(shelf.root))
    assert limits_of_job(other) is None and limits_of_job(mean) == wilson(1, 2)
    assert [board.standings[0].interval for board in boards(shelf.root)] == [wilson(1, 2), None]


@pytest.mark.parametrize("scores", [[], [None, None]])
def test_nothing_judged_has_no_interval(shelf: Shelf, scores: list[None]) -> None:
    shelf.add("m", "x", scores, overall=0.5)
    shelf.settle()
    ((job,),) = (jobs_of(shelf.root, listed) for listed in aggregates(shelf.root))
    assert limits_of_job(job) is None
