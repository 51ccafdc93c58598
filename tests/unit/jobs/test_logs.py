from __future__ import annotations

import tracemalloc
from pathlib import Path

from benchrouter.jobs.logs import CappedLog, Tail
from benchrouter.jobs.redact import Redactor

NONE = Redactor([])


def test_short_log_is_kept_whole(tmp_path: Path) -> None:
    path = tmp_path / "stdout.log"
    log = CappedLog(path, 100, NONE)
    log.write(b"one\n")
    log.write(b"two\n")
    log.close()
    assert path.read_bytes() == b"one\ntwo\n"
    assert list(tmp_path.iterdir()) == [path]


def test_log_of_exactly_the_limit_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = CappedLog(path, 100, NONE)
    log.write(b"x" * 60)
    log.write(b"y" * 40)
    log.close()
    assert path.read_bytes() == b"x" * 60 + b"y" * 40


def test_long_log_keeps_head_and_tail_and_says_what_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = CappedLog(path, 1000, NONE)
    lines = [f"line {i:05d}\n".encode() for i in range(1000)]
    for line in lines:
        log.write(line)
    log.close()
    text = path.read_bytes()
    head, notice, tail = text.partition(b"\n[benchrouter: ")
    assert b"".join(lines).startswith(head)
    dropped, _, tail = tail.partition(b" bytes of this log were dropped here]\n")
    assert tail.startswith(b"line ") and b"".join(lines).endswith(tail)
    assert notice and int(dropped) + len(head) + len(tail) == 11 * 1000
    assert len(text) < 1100


def test_one_huge_write_is_capped(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = CappedLog(path, 1000, NONE)
    log.write(bytes(range(256)) * 100)
    log.close()
    text = path.read_bytes()
    assert text.startswith(bytes(range(256))) and text.endswith(bytes(range(200, 256)))
    assert len(text) < 1100


def test_log_is_bounded_on_disk_and_in_memory_while_the_job_runs(tmp_path: Path) -> None:
    log = CappedLog(tmp_path / "log", 1 << 20, Redactor(["sk-canary-1234"]))
    chunk = b"0123456789abcde\n" * 4096
    tracemalloc.start()
    for _ in range(320):
        log.write(chunk)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 << 20
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= (1 << 20) + 24  # the head of the ring
    log.close()


def test_secret_never_touches_the_disk(tmp_path: Path) -> None:
    log = CappedLog(tmp_path / "log", 1000, Redactor(["sk-canary-1234"]))
    shown = bytearray()
    for byte in b"key sk-canary-1234 and sk-can":
        log.write(bytes([byte]), shown.extend)
    assert b"sk-" not in (tmp_path / "log").read_bytes() + shown
    log.close(shown.extend)
    assert shown == (tmp_path / "log").read_bytes() == b"key [redacted] and sk-can"


def test_closing_twice_and_writing_late_is_harmless(tmp_path: Path) -> None:
    log = CappedLog(tmp_path / "log", 1000, NONE)
    log.write(b"x")
    log.close()
    log.write(b"late")
    log.close()
    assert (tmp_path / "log").read_bytes() == b"x"


def test_tail_shows_the_last_lines_without_terminal_controls() -> None:
    tail = Tail(64)
    for i in range(1000):
        tail.add(f"line {i}\n".encode())
    tail.add(b"\n\x1b[31mred\x1b[0m \x07bell\xff\n")
    assert tail.lines(2) == "line 999\nred bell\ufffd"
