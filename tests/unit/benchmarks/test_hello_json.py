"""The JSON that hello's shell scripts read and write, tried with every awk of this machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from demo_scores import BENCHMARKS

CONTEXT = BENCHMARKS / "hello" / "environments" / "hello"
AWKS = [awk for awk in ("awk", "mawk", "gawk", "original-awk", "busybox") if shutil.which(awk)]
TEXTS = ["Paris", "", 'a"b\\c\n\t/\b\f', "é€😀 x", '{"choices": [1]}', "x" * 50_000, '"' * 3000, "a\n\nb"]


def content_of(text: str, awk: str) -> tuple[int, str]:
    command = ["busybox", "awk"] if awk == "busybox" else [awk]
    program = ["-v", "want=choices.0.message.content", "-f", str(CONTEXT / "json-get.awk")]
    done = subprocess.run(
        [*command, *program],
        input=text.encode(),
        capture_output=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    return done.returncode, done.stdout.decode()


@pytest.mark.parametrize("awk", AWKS)
@pytest.mark.parametrize("text", TEXTS)
def test_an_answer_is_read_byte_for_byte(awk: str, text: str) -> None:
    message = {"role": "assistant", "tool_calls": [], "more": {}, "content": text, "n": -1.5e300}
    reply = {"id": 1, "choices": [{"index": 0, "message": message, "logprobs": None}], "last": [True, [{}]]}
    for ascii_only in (True, False):
        for indent in (None, 2):
            written = json.dumps(reply, ensure_ascii=ascii_only, indent=indent)
            assert content_of(written, awk) == (0, text + "\n")


@pytest.mark.parametrize("awk", AWKS)
@pytest.mark.parametrize(
    ("spelled", "read"),
    [
        (r"a\ud800b", "a\ufffdb"),
        (r"a\udfff", "a\ufffd"),
        (r"\ud83d\ud83d\ude00", "\ufffd😀"),
        (r"\ud83d\u0041\ud83dx", "\ufffdA\ufffdx"),
        (r"\ud83d\n", "\ufffd\n"),
    ],
)
def test_half_of_a_surrogate_pair_is_read_as_a_stand_in(awk: str, spelled: str, read: str) -> None:
    """One odd answer made the whole task's result no UTF-8."""
    reply = '{"choices":[{"message":{"content":"%s"}}]}' % spelled  # noqa: UP031
    assert content_of(reply, awk) == (0, read + "\n")


@pytest.mark.parametrize("awk", AWKS)
def test_a_null_answer_is_an_empty_one(awk: str) -> None:
    assert content_of('{"choices":[{"message":{"content":null}}]}', awk) == (0, "\n")


@pytest.mark.parametrize("awk", AWKS)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "<html>",
        '{"error": {"message": "x"}}',
        '{"choices":[]}',
        '{"choices":[{"message":{"content":"x"}}]} trailing',
        '{"choices":[{"message":{"content":"x"}]}',
        '{"choices":[{"message":{"content":"x',
        '{"choices":[{"message":{"content":"\\q"}}]}',
        '{"choices":[{"message":{"content":"\\u12"}}]}',
        '{"choices":[{"message":{"content":1}}]}',
    ],
)
def test_anything_else_is_no_answer(awk: str, text: str) -> None:
    status, printed = content_of(text, awk)
    assert (status != 0, printed) == (True, "")


@pytest.mark.parametrize("text", [*TEXTS, "a\n", "\x01\x1f\r", "-n", "%s\\n"])
def test_a_text_is_written_as_json(text: str) -> None:
    done = subprocess.run([str(CONTEXT / "json-string"), text], capture_output=True, check=True)
    assert json.loads(done.stdout) == text


@pytest.mark.parametrize("awk", AWKS)
@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"caf\xe9!", "caf\ufffd!"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"\xed\xa0\x80x", "\ufffd\ufffd\ufffdx"),  # half of a pair
        (b"\xc0\xaf\xe0\x80\xaf", "\ufffd" * 5),  # longer than need be
        (b"\xf4\x90\x80\x80", "\ufffd" * 4),  # beyond the last character
        (b"\xe2\x82", "\ufffd\ufffd"),
        ("é€😀 \U0010ffff\ud7ff\ue000".encode(), "é€😀 \U0010ffff\ud7ff\ue000"),
    ],
)
def test_what_is_no_utf_8_is_written_as_a_stand_in(tmp_path: Path, awk: str, data: bytes, text: str) -> None:
    (tmp_path / "awk").write_text(f'#!/bin/sh\nexec {shutil.which(awk)}{" awk" * (awk == "busybox")} "$@"\n')
    (tmp_path / "awk").chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run([bytes(CONTEXT / "json-string"), data], capture_output=True, check=True, env=environment)
    assert json.loads(done.stdout.decode()) == text


def test_scripts_are_posix() -> None:
    shellcheck = shutil.which("shellcheck")
    if shellcheck is None:
        pytest.skip("shellcheck is not installed")
    scripts: list[Path] = [CONTEXT / "ask", CONTEXT / "json-string", *BENCHMARKS.glob("hello/*/run.sh")]
    subprocess.run([shellcheck, "--external-sources", "--source-path=SCRIPTDIR", *map(str, scripts)], check=True)
