"""From jobs to observations."""

from __future__ import annotations

import pytest
from shelf import Shelf

from benchrouter.scores.collected import aggregates, jobs_of
from benchrouter.scores.statistics.intervals import wilson
from benchrouter.scores.strata import interval_of, interval_of_job, strata_of
from benchrouter.spec.aggregation import Aggregation
from benchrouter.store.states import Reason


def test_repeats_of_an_item_are_no_items_more(shelf: Shelf) -> None:
    for repeat, scores in enumerate(([1, 0, 1], [1, 1, None])):
        shelf.add("m", "x", scores, repeat=repeat)
        shelf.add("m", "plain", overall=0.25 + repeat / 2, repeat=repeat)
    shelf.add("m", "broken", reason=Reason.OOM)
    shelf.settle()
    (listed,) = aggregates(shelf.root)
    assert strata_of(jobs_of(shelf.root, listed)) == {"x": [1.0, 0.5, 1.0], "plain": [0.5]}


def test_a_score_that_is_not_the_mean_of_its_items_has_no_interval(shelf: Shelf) -> None:
    shelf.add("m", "other", [1] * 30, overall=0.1)
    shelf.add("n", "mean", [1, 0, None])
    shelf.settle()
    other, mean = (jobs_of(shelf.root, listed)[0] for listed in aggregates(shelf.root))
    assert interval_of_job(other) is None and interval_of([other], Aggregation(), 0.1) is None
    assert interval_of_job(mean) == wilson(1, 2) == interval_of([mean], Aggregation(), 0.5)
    assert interval_of([mean], Aggregation(), None) is None


@pytest.mark.parametrize("scores", [[], [None, None]])
def test_nothing_judged_has_no_interval(shelf: Shelf, scores: list[None]) -> None:
    shelf.add("m", "x", scores, overall=0.5)
    shelf.settle()
    ((job,),) = (jobs_of(shelf.root, listed) for listed in aggregates(shelf.root))
    assert interval_of_job(job) is None
