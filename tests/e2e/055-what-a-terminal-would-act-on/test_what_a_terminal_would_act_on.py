"""Names and output of others hold escapes: none reaches a terminal or a pipe, whichever command shows them."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from project import DOIT, SCORE, Project

TITLE = "\x1b]0;PWNED\x07"
EVIL = f"it\x1b[41mred{TITLE}\rX"
GREEN = "\x1b[32mgreen\x1b[0m"
HOSTILE = re.compile(rb"\x1b\]|\x1b\[41|\x07|\xc2\x9b|\x1bP")
BENCHROUTER = str(DOIT.with_name("benchrouter"))


def on_a_terminal(project: Project, *words: str) -> bytes:
    """Run a command whose both streams are a terminal; return all that it wrote."""
    ours, theirs = pty.openpty()
    environment = {**project.full_environment(), "TERM": "xterm-256color", "COLUMNS": "200"}
    process = subprocess.Popen(
        words, cwd=project.root, env=environment, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 1 << 16)
        except OSError:  # so a terminal says that nobody has it open any more
            break
        if not piece:
            break
        said += piece
    os.close(ours)
    process.wait(60)
    return said


def through_a_pipe(project: Project, *words: str) -> bytes:
    """Run a command; return all that it wrote."""
    done = subprocess.run(
        words, cwd=project.root, env=project.full_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        check=False, timeout=180,
    )  # fmt: skip
    return done.stdout


def test_no_escape_of_a_task_reaches_whoever_looks(project: Project) -> None:
    """A name of an output file set the terminal's title, and moved over our lines."""
    names = f"printf out; touch \"$BENCHROUTER_OUTPUT_DIR/$(printf '{_octal(EVIL)}')\""
    prints = f"printf '{_octal(EVIL)}\\n{_octal(GREEN)}\\n'; exit 3"
    project.benchmark("b", {"names": names, "prints": prints, "good": SCORE % 1})
    project.benchmark(
        "c", {"t": "true"}, dockerfile=f"FROM debian:bookworm-slim\nRUN printf '{_octal(EVIL)}\\n' && exit 4\n"
    )
    run = (BENCHROUTER, "run", "b", "c", "--model", "m", "--no-preflight")
    before = through_a_pipe(project, *run)
    Path(project.root / "benchmarks/b/good" / EVIL).write_text("x")
    looks = [("plan", "b", "c"), ("explain", "job:b/*"), ("run", "b", "c", "--no-preflight")]
    seen = [before]
    for verb, *words in looks:
        command = (BENCHROUTER, verb, *words, "--model", "m")
        seen += [through_a_pipe(project, *command) if verb != "run" else b"", on_a_terminal(project, *command)]
    logs = on_a_terminal(project, BENCHROUTER, "logs", "b/prints")
    for said in seen:
        assert not HOSTILE.search(said), HOSTILE.search(said)
    assert b"no result.json in /app/results: it holds itred X" in before
    assert rb"file benchmarks/b/good/it\x1b[41mred\x1b]0;PWNED\x07\rX added" in seen[3]
    assert b"\x1b[31m" in seen[-1]  # FAILED in red: our own styling
    assert b"\r\nit\x1b[41mred\rX\r\n" + GREEN.encode() in logs  # the colours of a log are its reader's to see
    assert b"PWNED" not in logs and b"\x1b]" not in logs
    raw = through_a_pipe(project, BENCHROUTER, "logs", "b/prints")
    assert EVIL.encode() in raw  # a program gets what the file holds


def test_no_escape_of_a_file_reaches_whoever_validates(project: Project) -> None:
    """A key of YAML is quoted in the message about it."""
    project.benchmark("b", {"t": "true"}, task_yaml='"x\\e[41m\\e]0;PWNED\\a": 1\n')
    for command in (
        (BENCHROUTER, "benchmark", "validate", "b"),
        (str(DOIT), "plan", "model=m"),
    ):
        for said in (through_a_pipe(project, *command), on_a_terminal(project, *command)):
            assert b"unknown key" in said and not HOSTILE.search(said), said


@pytest.mark.parametrize("name", ["a\x1b[41mb", "a\x1b]0;PWNED\x07b"])
def test_no_escape_of_a_model_s_name_reaches_whoever_lists(project: Project, name: str) -> None:
    project.benchmark("b", {"t": "true"})
    for words in (
        (str(DOIT), "list", "--all", f"model={name}"),
        (BENCHROUTER, "plan", "--model", name),
        (BENCHROUTER, "explain", "job:b/*", "--model", name),
    ):
        said = on_a_terminal(project, *words)
        assert said and not HOSTILE.search(said), said


def _octal(text: str) -> str:
    """Write a text for printf."""
    return "".join(f"\\{byte:03o}" if byte < 32 else chr(byte) for byte in text.encode())
