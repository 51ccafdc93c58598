"""A log beyond its half is read while it is written: nothing twice, nothing without a word."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest

from benchrouter.jobs.logs import CappedLog, LogReader
from benchrouter.jobs.redact import Redactor

NONE = Redactor([])
GONE = re.compile(r"\n\[benchrouter: (\d+) bytes of this log were dropped here\]\n")


def read(reader: LogReader) -> str:
    return "".join(reader.read())


def test_who_keeps_up_reads_everything_however_long_it_grows(tmp_path: Path) -> None:
    """`logs --follow` stood still at half the cap until the job had ended."""
    log, whole = CappedLog(tmp_path / "log", 1000, NONE), ""
    reader = LogReader(tmp_path / "log")
    seen = ""
    for number in range(2000):
        line = f"line {number}: ü\n"
        log.write(line.encode())
        whole += line
        seen += read(reader)
        assert seen == whole
    log.close()
    assert seen + read(reader) == whole
    reader.close()


@pytest.mark.parametrize("seed", range(5))
def test_who_does_not_keep_up_is_told_how_much_is_gone(tmp_path: Path, seed: int) -> None:
    """Bytes that were read and bytes that were dropped are all that there were; each line stands once, in order."""
    chance = random.Random(seed)
    log, number, total, seen = CappedLog(tmp_path / "log", 2000, NONE), 0, 0, ""
    reader = LogReader(tmp_path / "log")
    for _ in range(60):
        for _ in range(chance.choice((0, 1, 5, 60, 200))):
            total += len(line := f"line {number:06}\n")
            number += 1
            log.write(line.encode())
        seen += read(reader)
    log.close()
    seen += read(reader)
    assert sum(map(int, GONE.findall(seen))) + len(GONE.sub("", seen)) == total
    numbers = [int(found) for found in re.findall(r"line (\d{6})\n", seen)]
    assert numbers == sorted(set(numbers)) and numbers[-1] == number - 1
    reader.close()


def test_a_log_is_the_same_before_and_after_its_halves_are_put_together(tmp_path: Path) -> None:
    log = CappedLog(tmp_path / "log", 1000, NONE)
    for number in range(500):
        log.write(f"line {number}\n".encode())
    before, behind = LogReader(tmp_path / "log"), LogReader(tmp_path / "log")
    text = read(before)
    log.close()
    assert len(GONE.findall(text)) == 1 and read(before) == "" and read(behind) == text
    assert read(LogReader(tmp_path / "log")) == text == (tmp_path / "log").read_text()


def test_a_reader_beside_a_writer_never_sees_what_was_not_written(tmp_path: Path) -> None:
    """The ring is overwritten while it is read: such a piece is dropped, and counted."""
    path, lines = tmp_path / "log", 20000
    log = CappedLog(path, 4000, NONE)
    reader = LogReader(path)
    pid = os.fork()
    if pid == 0:
        for number in range(lines):
            log.write(f"line {number:06}\n".encode())
        log.close()
        os._exit(0)
    seen = ""
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        seen += read(reader)
    seen += read(reader)
    assert sum(map(int, GONE.findall(seen))) + len(GONE.sub("", seen)) == lines * len("line 000000\n")
    for part in GONE.split(seen)[::2]:  # its first and last line may be cut
        assert all(re.fullmatch(r"line \d{6}", line) for line in part.split("\n")[1:-1])
    assert seen.endswith(f"line {lines - 1:06}\n")
