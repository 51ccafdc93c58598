from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchrouter.jobs.verdict import MAX_BYTES, Verdict, judge
from benchrouter.store.states import Reason


def verdict(text: str | bytes, key: str | None = None) -> Verdict:
    return judge(text.encode() if isinstance(text, str) else text, "result.json", key)


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('{"overall": 0.85}', 0.85),
        ('{"overall": 0}', 0.0),
        ('{"overall": 1}', 1.0),
        ('{"overall": -0.0}', 0.0),
        ('{"overall": 1e-400}', 0.0),
        ('\ufeff{"overall": 0.5}', 0.5),
        ('  \n{"overall": 0.5}\n\n', 0.5),
        ('{"overall": 0.5, "error": null}', 0.5),
        ('{"overall": 0, "error": ""}', 0.0),
        ('{"overall": 0.5, "error": false}', 0.5),
    ],
)
def test_valid_results_are_scores(text: str, score: float) -> None:
    found = verdict(text)
    assert (found.overall, found.reason, found.warnings) == (score, None, ())
    assert math.copysign(1, found.overall or 0) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ('{"overall": 0.', "cut off"),
        ("accuracy: 0.5", "not JSON"),
        ("{'overall': 0.5}", "not JSON"),
        ("[0.5]", "a list"),
        ("0.5", "a number"),
        ("null", "null"),
        ("NaN", "not a finite number"),
        ('{"overall": NaN}', "NaN"),
        ('{"overall": Infinity}', "Infinity"),
        ('{"overall": -Infinity}', "-Infinity"),
        ('{"overall": 1e400}', "1e400"),
        ('{"overall": "0.5"}', '"0.5" (a string)'),
        ('{"overall": true}', "true (a boolean)"),
        ('{"overall": null}', "null"),
        ('{"overall": {}}', "{} (an object)"),
        ('{"overall": [0.5]}', "a list"),
        ('{"overall": -0.1}', "-0.1"),
        ('{"overall": 1.5}', "1.5"),
        ('{"overall": 85}', "a percentage"),
        ('{"overall": 1' + "0" * 5000 + "}", "not a finite number"),
        ('{"overal": 0.5}', "did you mean `overal`"),
        ("{}", "it holds nothing"),
        ('{"overall": 0.5, "overall": 0.6}', "more than once"),
        ('{"overall": 0.5} {"overall": 0.5}', "Extra data"),
        ('{"overall": 0.5, "name": "caf\u00e9"}'.encode("latin-1"), "not UTF-8"),
        ('{"overall": 0.5}'.encode("utf-16"), "not UTF-8"),
        (b" " * (MAX_BYTES + 1), "larger than 64 MB"),
        ('{"overall": 0.5, "a": ' + "[" * 1001 + "]" * 1001 + "}", "deeper than 1000"),
        ("[" * 100_000, "deeper than 1000"),
    ],
)
def test_invalid_results_say_what_was_found(text: str | bytes, said: str) -> None:
    found = verdict(text)
    assert found.reason is Reason.INVALID_RESULT and found.overall is None
    assert said in found.detail
    assert found.detail.startswith("result.json") and len(found.detail) < 400


@pytest.mark.parametrize(
    ("text", "key", "score"),
    [
        ('{"pass@1": 0.25}', "pass@1", 0.25),
        ('{"a.b": 0.25, "a": {"b": 0.75}}', "a.b", 0.25),
        ('{"a": {"b": 0.75}}', "a.b", 0.75),
        ('{"a": {"b": {"c": 1}}, "overall": 0.1}', "a.b.c", 1.0),
        ('{"score": 0.5, "overall": 0.1, "overall": 0.2}', "score", 0.5),
    ],
)
def test_mapped_key_is_literal_first_then_a_path(text: str, key: str, score: float) -> None:
    assert verdict(text, key).overall == score


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": {"c": 0.5}}', "`a` holds `c`"),
        ('{"a": 0.5}', "`a` is 0.5 (a number)"),
        ('{"a": {"b": 0.1, "b": 0.2}}', "`a.b` occurs more than once"),
        ('{"a": {"b": 0.1}, "a": {"b": 0.2}}', "`a` occurs more than once"),
        ('{"overall": 0.5}', "it holds `overall`"),
    ],
)
def test_mapped_path_that_leads_nowhere_says_where_it_ends(text: str, said: str) -> None:
    found = verdict(text, "a.b")
    assert found.reason is Reason.INVALID_RESULT and said in found.detail


def test_depth_of_exactly_the_limit_is_accepted() -> None:
    text = '{"overall": 0.5, "a": ' + "[" * 999 + "]" * 999 + "}"
    assert verdict(text).overall == 0.5


def test_brackets_in_strings_are_no_depth() -> None:
    assert verdict(json.dumps({"overall": 0.5, "code": '[{"' * 2000, "back": "\\"})).overall == 0.5


def test_error_beside_zero_is_no_genuine_zero() -> None:
    found = verdict('{"overall": 0.0, "error": "connection lost"}')
    assert found.reason is Reason.INVALID_RESULT and '"connection lost"' in found.detail


def test_error_beside_a_score_is_a_warning() -> None:
    found = verdict('{"overall": 0.4, "error": "2 of 10 timed out"}')
    assert found.overall == 0.4 and "2 of 10 timed out" in found.warnings[0]


def test_error_beside_an_invalid_score_is_quoted_too() -> None:
    assert "boom" in verdict('{"overall": null, "error": "boom"}').detail


def with_items(overall: float, *items: object) -> Verdict:
    return verdict(json.dumps({"overall": overall, "items": items}))


def test_a_zero_of_which_no_item_was_judged_is_no_genuine_zero() -> None:
    errors = [{"id": str(n), "error": f"status 50{n}"} for n in range(3)]
    found = with_items(0.0, *errors)
    assert (found.overall, found.reason) == (None, Reason.INVALID_RESULT)
    assert found.detail == "result.json holds 0, but 3 of 3 items could not be judged; 0: status 500"
    assert with_items(0.0, {"id": "right", "score": 0}, *errors).overall == 0.0


def test_items_that_could_not_be_judged_are_a_warning_with_the_first_error() -> None:
    found = with_items(1.0, {"id": "a", "score": 1}, {"id": "b", "error": "crashed\n" + "x" * 500})
    assert found.overall == 1.0
    (warning,) = found.warnings
    assert warning.startswith("1 of 2 items could not be judged; b: crashed") and len(warning) < 260


def test_items_of_another_form_are_a_warning_and_never_a_failure() -> None:
    for items in (3, [], ["a"], [{"id": "a"}], [{"id": "a", "score": float("nan")}]):
        found = verdict(json.dumps({"overall": 0.0, "items": items}))
        assert (found.overall, len(found.warnings)) == (0.0, 1)
        assert found.warnings[0].startswith("result.json: ")
    assert with_items(0.5, {"id": "a", "score": 1}).warnings == ()


@pytest.mark.parametrize("overall", ["", '"overall": 0, ', '"overall": 0.4, ', '"overall": null, '])
def test_task_can_say_that_the_endpoint_failed(overall: str) -> None:
    found = verdict("{" + overall + '"error": {"kind": "endpoint", "message": "429"}}')
    assert found.reason is Reason.ENDPOINT and "429" in found.detail


def test_nan_elsewhere_is_published_as_null() -> None:
    found = verdict('{"overall": 0.5, "loss": NaN, "deep": [{"x": [-Infinity, 1e999, 2]}]}')
    assert found.raw == {"overall": 0.5, "loss": None, "deep": [{"x": [None, None, 2]}]}
    assert verdict(json.dumps(found.raw)).overall == 0.5


def test_number_of_many_digits_elsewhere_is_no_fault() -> None:
    assert verdict('{"overall": 0.5, "n": ' + "9" * 5000 + "}").raw["n"] is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(JSON)
def test_any_json_gets_a_verdict_that_survives_a_round_trip(value: Any) -> None:
    found = verdict(json.dumps(value))
    assert (found.overall is None) != (found.reason is None)
    if found.overall is not None:
        again = verdict(json.dumps(found.raw, allow_nan=False))
        assert (again.overall, again.warnings) == (found.overall, found.warnings)


@given(st.binary(max_size=200))
def test_any_bytes_get_a_verdict(data: bytes) -> None:
    assert verdict(data).reason in (None, Reason.INVALID_RESULT)
