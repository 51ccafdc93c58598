"""each: order, single failures, an endpoint that is down, answers that say nothing."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from benchrouter.sdk import EndpointError, each, text_of, tokens_of, without_thoughts
from benchrouter.sdk.many import PATIENCE


def test_records_stand_in_the_order_of_the_items_whoever_is_first() -> None:
    at_once, most, lock = 0, 0, threading.Lock()

    def judge(item: int) -> dict[str, Any]:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.03 if item % 3 == 0 else 0.002)
        with lock:
            at_once -= 1
        return {"score": item / 100}

    records = each(range(40), judge, id=lambda item: f"item-{item}")
    assert records == [{"id": f"item-{item}", "score": item / 100} for item in range(40)]
    assert 1 < most <= 4
    assert each([], judge) == []


def test_an_item_at_which_the_endpoint_fails_is_an_error_and_no_score(capsys: pytest.CaptureFixture[str]) -> None:
    def judge(item: int) -> dict[str, Any]:
        if item % 2:
            raise EndpointError(f"no {item}", 500)
        return {"score": 1}

    records = each(range(60), judge, workers=1)
    assert records[:2] == [{"id": "0", "score": 1}, {"id": "1", "error": "endpoint: no 1"}]
    assert sum("error" in record for record in records) == 30
    assert "endpoint: no 59" in capsys.readouterr().err


def test_an_endpoint_that_is_down_is_not_asked_for_the_rest() -> None:
    asked = []

    def judge(item: int) -> dict[str, Any]:
        asked.append(item)
        if item >= 5:
            raise EndpointError("gone", 503)
        return {"score": 1}

    with pytest.raises(EndpointError, match="items in a row; gone") as caught:
        each(range(1000), judge)
    assert (caught.value.code, caught.value.status) == (75, 503)
    assert PATIENCE <= len(asked) <= 5 + PATIENCE + 4


@pytest.mark.parametrize("count", [1, 3, 100])
def test_when_all_items_are_refused_nothing_was_judged(count: int) -> None:
    def judge(item: int) -> dict[str, Any]:
        raise EndpointError(f"status 400: no tools for {item}", 400)

    with pytest.raises(EndpointError, match=f"no answer for any item, of {count}; status 400") as caught:
        each(range(count), judge)
    assert caught.value.status == 400


def test_items_that_are_too_long_do_not_make_an_endpoint_that_is_down() -> None:
    def judge(item: int) -> dict[str, Any]:
        if item < 5 * PATIENCE:
            raise EndpointError("too long", 413)
        return {"score": 1}

    records = each(range(5 * PATIENCE + 1), judge)
    assert ["error" in record for record in records] == [True] * 5 * PATIENCE + [False]


def test_answers_that_all_say_nothing_are_no_zero() -> None:
    with pytest.raises(EndpointError, match="nothing is said in any of 3 answers"):
        each(range(3), lambda _: {"score": 0, "empty": True})
    some = each(range(3), lambda item: {"score": 0, "empty": item > 0})
    assert [record["score"] for record in some] == [0, 0, 0]


def test_another_fault_is_not_taken_for_one_of_the_endpoint() -> None:
    with pytest.raises(ZeroDivisionError):
        each(range(100), lambda item: {"score": 1 / item})


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("B", "B"),
        ("<think>A? No.</think>\nB", "B"),
        ("A? No.</think>\nB", "B"),
        ("<think>A?</think><think>C?</think> B ", "B"),
        ("<think>The answer is A", ""),
        ("B <think>or", "B"),
        ("", ""),
    ],
)
def test_thoughts_are_no_part_of_an_answer(said: str, left: str) -> None:
    assert without_thoughts(said) == left
    assert text_of({"choices": [{"message": {"content": said}}]}) == left
    assert text_of({"choices": [{"message": {"content": None, "tool_calls": []}}]}) == ""


def test_tokens_are_summed_and_left_out_when_one_is_not_known() -> None:
    known: dict[str, Any] = {"usage": {"prompt_tokens": 3, "completion_tokens": 2}}
    assert tokens_of(known) == {"tokens": {"prompt": 3, "completion": 2}}
    assert tokens_of(known, known) == {"tokens": {"prompt": 6, "completion": 4}}
    for usage in None, {}, {"prompt_tokens": 3}, {"prompt_tokens": True, "completion_tokens": 1}:
        assert tokens_of(known, {"usage": usage}) == {}
    assert tokens_of(known, {}) == {}
    assert tokens_of() == {}
