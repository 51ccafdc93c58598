from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchrouter.jobs.collect import Caps, collect
from benchrouter.jobs.ending import judge_output
from benchrouter.jobs.masking import masked, without_secrets
from benchrouter.jobs.redact import Redactor
from benchrouter.jobs.verdict import Verdict
from benchrouter.spec.task import Task
from benchrouter.store import documents
from benchrouter.store.states import Reason

MARK = "[redacted]"


def judged(tmp_path: Path, text: str, *secrets: str) -> tuple[Verdict, Redactor]:
    """Collect and judge a result file as an attempt does."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in/result.json").write_text(text, "utf-8")
    redactor = Redactor(secrets)
    found = collect(tmp_path / "in", tmp_path / "out", redactor, Caps(), None, "result.json")
    assert not any(secret in (tmp_path / "out/result.json").read_text("utf-8") for secret in secrets)
    return without_secrets(judge_output(Task("t", "true"), found), "result.json", redactor), redactor


@pytest.mark.parametrize(
    ("secret", "text", "published"),
    [
        ("12345678", '{"overall": 0.5, "n": 12345678}', {"overall": 0.5, "n": MARK}),
        ("12345678", '{"overall": 0.5, "n": [1.2345678e7, 1234567]}', {"overall": 0.5, "n": [MARK, 1234567]}),
        ("12345678", '{"overall": 0.5, "n": 12345678.25}', {"overall": 0.5, "n": MARK}),
        ('a": "b", "c', '{"overall": 0.5, "a": "b", "c": 1}', {}),
        ('{"a": [1, 2]}', '{"overall": 0.5, "x": {"a":[1,2]}}', {"overall": 0.5, "x": MARK}),
        ('sk-"quoted"', '{"overall": 0.5, "k": "sk-\\"quoted\\""}', {"overall": 0.5, "k": MARK}),
        ("sk-canary", '{"overall": 0.5, "k": "\\u0073k-canary"}', {"overall": 0.5, "k": MARK}),
        ("overall\"", '{"overall": 0.5}', {}),
        (
            "sk-canary",
            '{"overall": 0.5, "sk-canary": 1, "[redacted]": 2, "sk-canarysk-canary": [3]}',
            {"overall": 0.5, MARK: 1, MARK + " (2)": 2, MARK * 2: [3]},
        ),
    ],
)
def test_masks_laid_over_the_bytes_of_a_result_made_it_invalid(
    tmp_path: Path, secret: str, text: str, published: dict[str, Any]
) -> None:
    verdict, redactor = judged(tmp_path, text, secret)
    assert (verdict.overall, verdict.reason) == (0.5, None)
    raw = masked(verdict.raw, redactor)
    assert raw == published
    assert not redactor.finds(documents.to_lines(raw))


def test_a_score_that_spells_a_secret_is_neither_published_nor_masked(tmp_path: Path) -> None:
    verdict, _ = judged(tmp_path, '{"overall": 0.123456789}', "0.123456789")
    assert verdict.reason is Reason.INVALID_RESULT
    assert verdict.overall is None
    assert "secret" in verdict.detail
    assert "0.12" not in verdict.detail


@pytest.mark.parametrize("secret", ["0.85", "1", "0.850000", "0.8500001", "EMPTY"])
def test_a_short_score_is_no_secret(secret: str) -> None:
    redactor = Redactor([secret])
    assert without_secrets(Verdict(0.85, {"overall": 0.85}), "result.json", redactor).overall == 0.85
    assert masked({"overall": 0.85, "all": True, "one": 1}, redactor) == {"overall": 0.85, "all": True, "one": 1}


@pytest.mark.parametrize("length", [185, 192, 196, 199])
def test_a_secret_that_a_quotation_cut_was_left_in_part(tmp_path: Path, length: int) -> None:
    text = json.dumps({"overall": 0.4, "error": "w" * length + "sk-canary-0123456789"})
    verdict, redactor = judged(tmp_path, text, "sk-canary-0123456789")
    assert "sk-" in verdict.warnings[0] or length > 196
    assert "sk-" not in redactor.scrub_message(verdict.warnings[0])
    assert redactor.scrub_message(verdict.warnings[0]).endswith("…")


def test_an_object_nested_as_deep_as_results_may_be_is_masked() -> None:
    value: Any = "sk-canary"
    for _ in range(499):
        value = {"a": [value]}
    made = json.dumps(masked(value, Redactor(["sk-canary"])))
    assert made.count(MARK) == 1
    assert "sk-canary" not in made
