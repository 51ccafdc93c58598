from __future__ import annotations

from typing import Any

import pytest

from benchrouter.store.items import ItemCounts, Items, read_items

RIGHT, WRONG = {"id": "a", "score": 1}, {"id": "b", "score": 0.0, "error": "", "note": [1]}
ERROR = {"id": "c", "score": None, "error": "endpoint: status 500", "tokens": {"prompt": 3, "completion": None}}


@pytest.mark.parametrize("raw", [{}, {"overall": 1}, {"items": None}, None, [], 3, "items"])
def test_a_result_without_items_says_nothing(raw: object) -> None:
    assert read_items(raw) == Items()


def test_items_are_counted_and_the_first_error_is_kept() -> None:
    assert read_items({"items": [RIGHT, WRONG]}) == Items(ItemCounts(2, 2))
    more = {"id": "d", "error": "crashed"}
    assert read_items({"items": [RIGHT, ERROR, WRONG, more]}) == Items(
        ItemCounts(2, 4), error="c: endpoint: status 500"
    )
    assert read_items({"items": [ERROR]}).counts == ItemCounts(0, 1)


def test_counts_add_up_and_are_shown_as_judged_of_selected() -> None:
    total = ItemCounts(9, 10) + ItemCounts(3, 5)
    assert (str(total), total.errors) == ("12/15", 3)


@pytest.mark.parametrize(
    ("items", "says"),
    [
        (5, "`items` is a number"),
        ({"a": 1}, "`items` is an object"),
        ([], "`items` is an empty list"),
        (["a"], "item 1 of `items` is a text; expected an object"),
        ([RIGHT, {"score": 1}], "item 2 of `items` has no `id`"),
        ([{"id": 3, "score": 1}], "item 1 of `items` has no `id` that is a text"),
        ([RIGHT, RIGHT], "two of the `items` have the id 'a'"),
        ([{"id": "x"}], "item 'x' of `items` has neither a `score` nor an `error`"),
        ([{"id": "x", "error": {"kind": "endpoint"}}], "neither a `score` nor an `error`"),
        ([{"id": "x", "score": True}], "has the score True"),
        ([{"id": "x", "score": "1"}], "has the score '1'"),
        ([{"id": "x", "score": 85}], "has the score 85; expected a number from 0 to 1"),
        ([{"id": "x", "score": 0, "error": "timeout"}], "has a `score` beside its `error`"),
        ([{"id": "x", "score": 0, "tokens": 12}], "`tokens` are expected"),
        ([{"id": "x", "score": 0, "tokens": {"prompt": 1.5}}], "`tokens` are expected"),
        ([{"id": "x", "score": 0, "tokens": {"prompt": True}}], "`tokens` are expected"),
        ([{"id": "x", "score": 0, "tokens": {"completion": -1}}], "`tokens` are expected"),
    ],
)
def test_items_of_another_form_are_a_fault_and_no_counts(items: Any, says: str) -> None:
    found = read_items({"items": items})
    assert found.counts is None and says in found.fault
