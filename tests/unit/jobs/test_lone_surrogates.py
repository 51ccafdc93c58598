"""`"\\ud800"` is JSON and no text that can be encoded: it costs nobody a result, a reason or a log."""

from __future__ import annotations

import json

import pytest

from benchrouter.jobs.masking import masked
from benchrouter.jobs.redact import Redactor
from benchrouter.jobs.verdict import judge
from benchrouter.store import documents
from benchrouter.store.states import Reason

REDACTOR = Redactor(["sk-canary-0123456789"])


@pytest.mark.parametrize(
    ("text", "overall", "said"),
    [
        (r'{"overall":0.5,"error":"\ud800"}', 0.5, 'holds an `error` beside its score: "\ufffd"'),
        (r'{"overall":0,"error":"\ud800"}', None, 'holds 0 beside an `error`: "\ufffd"'),
        (r'{"overall":"\ud800"}', None, '`overall` is "\ufffd" (a string)'),
        (r'{"\ud800":0.5}', None, "it holds `\ufffd`"),
        (r'{"overall":0.5,"items":[{"id":"a","error":"\ud800"},{"id":"b","score":1}]}', 0.5, "a: \ufffd"),
        (r'{"overall":0.5,"error":{"kind":"endpoint","text":"\udfff"}}', None, "\ufffd"),
    ],
)
def test_half_of_a_pair_in_a_result_is_quoted_as_a_stand_in(text: str, overall: float | None, said: str) -> None:
    found = judge(text.encode(), "result.json", None)
    assert found.overall == overall and (found.reason is None) == (overall is not None)
    (line,) = [found.detail] if found.reason else found.warnings
    assert said in REDACTOR.scrub_message(line) == REDACTOR.scrub_text(line) == line
    if found.raw is not None:
        documents.to_lines(masked(found.raw, REDACTOR)).decode()
        json.dumps(found.raw, ensure_ascii=False).encode()


def test_whole_pairs_and_keys_stay_as_they_are_and_equal_keys_apart() -> None:
    more = r'"\udfff":{"\ud83d\ude00":"\ud83d\ude00\ud83d"},"list":["\udc00",["\ud800"]]'
    text = rf'{{"overall":1,"\ud800":1,"\ufffd":2,{more}}}'
    raw = judge(text.encode(), "result.json", None).raw
    assert raw == {
        "overall": 1,
        "\ufffd": 1,
        "\ufffd (2)": 2,
        "\ufffd (3)": {"😀": "😀\ufffd"},
        "list": ["\ufffd", ["\ufffd"]],
    }


def test_a_key_that_occurs_twice_is_still_found_when_it_stands_beside_one() -> None:
    found = judge(rb'{"overall":0.5,"\ud800":1,"overall":1}', "result.json", None)
    assert found.reason is Reason.INVALID_RESULT and "more than once" in found.detail


def test_a_secret_beside_one_is_masked() -> None:
    text = "\ud800 sk-canary-0123456789 \udcff"
    assert REDACTOR.scrub_text(text) == "\ufffd [redacted] \ufffd"
    assert REDACTOR.scrub_text("\udcff sk-canary-0123456789") == "\udcff [redacted]"
