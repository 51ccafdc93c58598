from __future__ import annotations

import json
from itertools import pairwise
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchrouter.jobs.redact import MARK, Redactor

CANARY = 'sk-canary"ä/42'


@pytest.mark.parametrize(
    "form",
    [
        CANARY,
        json.dumps(CANARY)[1:-1],
        json.dumps(CANARY, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(CANARY))[3:-3],
        quote(CANARY, safe=""),
        quote(CANARY),
        quote(CANARY, safe="").lower(),
        json.dumps(CANARY)[1:-1].replace("/", "\\/"),
        json.dumps(CANARY)[1:-1].replace("/", "\\/").replace("\\u00e4", "\\u00E4"),
        "".join(f"\\u{ord(char):04x}" for char in CANARY),
        "".join(f"%{byte:02x}" for byte in CANARY.encode()),
        quote(quote(CANARY, safe=""), safe=""),
    ],
)
def test_every_form_of_a_secret_is_masked(form: str) -> None:
    assert Redactor([CANARY]).scrub(f"a {form} b".encode()) == b"a " + MARK + b" b"


@pytest.mark.parametrize("value", ["EMPTY", "short", "", "1234567"])
def test_placeholders_and_short_values_are_left_alone(value: str) -> None:
    redactor = Redactor([value])
    assert not redactor
    assert redactor.scrub(b"EMPTY short 1234567") == b"EMPTY short 1234567"


def test_value_split_across_two_reads_is_masked() -> None:
    stream = Redactor(["sk-canary"]).stream()
    assert stream.feed(b"key: sk-") == b"key: "
    assert stream.feed(b"canary done") == MARK + b" done"


def test_secret_that_is_cut_off_behind_its_middle_is_masked() -> None:
    redactor = Redactor(["sk-canary-0123456789"])
    assert redactor.scrub(b"key: sk-canary-012345Terminated") == b"key: " + MARK + b"Terminated"
    assert redactor.scrub(b"key: sk-canary-012345") == b"key: " + MARK


def test_start_of_a_secret_that_does_not_go_on_comes_out_unchanged() -> None:
    stream = Redactor(["sk-canary"]).stream()
    assert stream.feed(b"sk-can") + stream.feed(b"al") + stream.close() == b"sk-canal"


def test_secret_that_begins_like_another_leaves_no_rest() -> None:
    assert Redactor(["password1", "password12345"]).scrub(b"password12345") == MARK


def test_overlapping_secrets_leave_no_rest() -> None:
    assert Redactor(["abcdefgh", "efghijkl"]).scrub(b"abcdefghijkl") == MARK


def test_lines_of_a_key_file_are_masked_one_by_one() -> None:
    redactor = Redactor(["-----BEGIN KEY-----\nMIIBVgIBADANBg\n-----END KEY-----\n"])
    assert b"MIIBVgIBADANBg" not in redactor.scrub(b"  MIIBVgIBADANBg  \n")


def test_message_with_bytes_that_are_no_utf8_survives() -> None:
    assert Redactor(["sk-canary"]).scrub_text("\udcff sk-canary") == "\udcff [redacted]"


@given(
    secrets=st.lists(st.text("ab", min_size=8, max_size=12), min_size=1, max_size=3),
    text=st.text("ab", max_size=120),
    cuts=st.lists(st.integers(0, 120), max_size=8),
)
def test_masking_does_not_depend_on_where_chunks_end(secrets: list[str], text: str, cuts: list[int]) -> None:
    redactor = Redactor(secrets)
    data = text.encode()
    borders = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    stream = redactor.stream()
    pieces = [stream.feed(data[a:b]) for a, b in pairwise(borders)]
    assert b"".join(pieces) + stream.close() == redactor.scrub(data)


@given(st.lists(st.text("ab", min_size=8, max_size=12), min_size=1, max_size=3), st.text("ab", max_size=120))
def test_no_secret_survives(secrets: list[str], text: str) -> None:
    scrubbed = Redactor(secrets).scrub(text.encode())
    assert not any(secret.encode() in scrubbed for secret in secrets)
