from __future__ import annotations

import base64
import binascii
import json
import re
import string
from collections.abc import Callable
from itertools import pairwise
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchrouter.jobs.redact import MARK, Redactor
from benchrouter.jobs.secret_forms import folded, place_from_end, unfolding

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


KEY = "sk-cañary/0123?>~456789-abc"


@pytest.mark.parametrize("before", ["", "a", "ab", "user:"])
@pytest.mark.parametrize("after", ["", "z", "zz", "\n"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode, binascii.hexlify, base64.b16encode])
def test_base64_and_hex_of_a_secret_were_not_masked(before: str, after: str, encode: Callable[[bytes], bytes]) -> None:
    """Whatever stands around it in what is encoded, with and without padding, also escaped for a URL or JSON."""
    encoded = encode(f"{before}{KEY}{after}".encode())
    redactor = Redactor([KEY])
    for form in {encoded, encoded.rstrip(b"="), quote(encoded).encode(), encoded.replace(b"/", b"\\/")}:
        scrubbed = redactor.scrub(b"token=" + form + b" x")
        assert re.fullmatch(rb"token=[^\[]{0,12}" + re.escape(MARK) + rb"[^\]]{0,12} x", scrubbed), scrubbed


@pytest.mark.parametrize("width", [76, 64, 60, 13])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\\n", b"\\r\\n", b"\\\\n"])
def test_encodings_in_lines_are_masked_across_them(width: int, end: bytes) -> None:
    """As `base64`, `xxd -p` and MIME break them; also where the lines stand in a JSON text."""
    for before in range(70):
        for encode in (base64.b64encode, binascii.hexlify):
            encoded = encode(b"x" * before + KEY.encode() + b"and more behind it")
            lines = end.join(encoded[at : at + width] for at in range(0, len(encoded), width))
            left = Redactor([KEY]).scrub(lines)
            assert MARK in left
            assert not _shared_piece(left.replace(end, b""), before), left


def _shared_piece(left: bytes, before: int) -> bytes | None:
    """Find six characters in a row that only the secret can have brought."""
    forms = [base64.b64encode(bytes(before % 3) + KEY.encode())[4:-4], KEY.encode().hex().encode()]
    pieces = (form[at : at + 6] for form in forms for at in range(len(form) - 5))
    return next((piece for piece in pieces if piece in left), None)


@given(
    before=st.binary(max_size=80),
    after=st.binary(max_size=20),
    width=st.sampled_from([0, 60, 64, 76]),
    cuts=st.lists(st.integers(0, 200), max_size=12),
    urlsafe=st.booleans(),
)
def test_base64_split_across_writes_was_not_masked(
    before: bytes, after: bytes, width: int, cuts: list[int], urlsafe: bool
) -> None:
    encode = base64.urlsafe_b64encode if urlsafe else base64.b64encode
    data = encode(before + KEY.encode() + after)
    if width:
        data = b"\n".join(data[at : at + width] for at in range(0, len(data), width)) + b"\n"
    redactor = Redactor([KEY])
    borders = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    stream = redactor.stream()
    pieces = b"".join(stream.feed(data[a:b]) for a, b in pairwise(borders)) + stream.close()
    assert pieces == redactor.scrub(data)
    assert MARK in pieces and base64.b64encode(bytes(len(before) % 3) + KEY.encode())[4:-4] not in pieces


@given(st.text("ab\\\nr 0", max_size=60).map(str.encode))
def test_unfolding_leads_back_to_the_byte_that_was_folded(data: bytes) -> None:
    place, alike = unfolding(data), folded(data)
    assert bytes(data[place(index)] for index in range(len(alike))) == alike
    for count in range(1, len(alike)):
        assert place_from_end(data, count) == place(len(alike) - count)


def test_a_line_of_text_is_not_held_back_because_its_last_letter_begins_an_encoding() -> None:
    """Whoever watches a run sees whole lines."""
    stream = Redactor([KEY]).stream()
    for letter in string.ascii_letters:
        line = f"asked the model for question {letter}\n".encode()
        assert stream.feed(line) == line


def test_a_secret_that_is_a_key_file_is_masked_as_base64() -> None:
    pem = "-----BEGIN KEY-----\n" + "MIIBVgIBADANBgkqhkiG9w0BAQEFAASCAUAwggE8AgEAAkEAq\n" * 3 + "-----END KEY-----\n"
    left = Redactor([pem]).scrub(base64.encodebytes(b"x" + pem.encode()))
    assert len(left) < 20, left
