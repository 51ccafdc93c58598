"""Nothing that reads a task's output up to its cap takes more than linear time: a hostile file must not stop a run."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

import pytest

from benchrouter.jobs.logs import Tail
from benchrouter.jobs.masking import masked
from benchrouter.jobs.redact import Redactor
from benchrouter.jobs.terminal import printable
from benchrouter.jobs.verdict import judge
from benchrouter.store.items import read_items

SECRET = "sk-canary-0123456789-abcdef"
REDACTOR = Redactor([SECRET])
HEAD = b'{"overall":0.5,"a":['


def members(count: int, name: str = "k") -> bytes:
    return b",".join(b'"%b%d":0' % (name.encode(), number) for number in range(count))


RESULTS: dict[str, tuple[int, Callable[[int], bytes]]] = {
    "a string that never ends": (4_000, lambda n: HEAD + b"[]," * 1100 + b'0],"b":"' + b'\\"' * n),
    "backslashes at the end": (4_000, lambda n: HEAD + b"[]," * 1100 + b'0],"b":"' + b"\\" * n),
    "one key twice among many": (4_000, lambda n: b'{"overall":0.5,' + members(n) + b',"k1":1}'),
    "brackets that never close": (50_000, lambda n: b"[" * n),
    "many lists": (20_000, lambda n: HEAD + b"[]," * n + b"0]}"),
    "many numbers": (50_000, lambda n: HEAD + b"0," * n + b"0]}"),
    "one number": (100_000, lambda n: b'{"overall":' + b"1" * n + b"}"),
    "one fraction": (100_000, lambda n: b'{"overall":0.5' + b"1" * n + b"}"),
    "keys that are nearly right": (20_000, lambda n: b"{" + members(n, "overal") + b"}"),
    "a long error": (100_000, lambda n: b'{"overall":0,"error":"' + b"\\u0001" * n + b'"}'),
    "halves of pairs": (20_000, lambda n: HEAD + b'"\\ud800",' * n + b"0]}"),
    "keys that mending makes equal": (
        4_000,
        lambda n: b'{"overall":0.5,' + b",".join(b'"\\ud8%02x\\ud9%02x":0' % (i % 256, i >> 8) for i in range(n))
        + b"}",
    ),
}

STREAMS: dict[str, tuple[int, Callable[[int], bytes]]] = {
    "backslashes": (8_000, lambda n: b"\\" * n),
    "backslashes in lines": (8_000, lambda n: b"\\" * n + b"n"),
    "what may begin a secret, then empty lines": (40_000, lambda n: b"c2s" + b"\n" * n),
    "what may begin a secret, then backslashes": (40_000, lambda n: b"c2s" + b"\\" * n),
    "secrets": (4_000, lambda n: SECRET.encode() * n),
    "short lines beside a secret": (20_000, lambda n: b"a\n" * n + SECRET.encode().hex().encode()),
}


def seconds(action: Callable[[Any], object], given: Any) -> float:
    """Take the best of a few runs: what else the machine and its collector of garbage do is not meant."""
    best = 1e9
    gc.disable()
    try:
        for _ in range(4):
            began = time.thread_time()
            action(given)
            best = min(best, time.thread_time() - began)
    finally:
        gc.enable()
    return best


def check_linear(action: Callable[[Any], object], make: Callable[[int], Any], n: int) -> None:
    """Four times as much may take four times as long, and a little; what takes no time at all is fine.

    Growth with the square shows every time, what else the machine does only now and then.
    """
    measured = []
    for _ in range(5):
        least, most = seconds(action, make(n)), seconds(action, make(4 * n))
        if most < 8 * max(least, 0.002):
            return
        measured.append((least, most))
    pytest.fail(f"longer than linear growth explains: {measured}")


@pytest.mark.parametrize("name", RESULTS)
def test_judging_a_result_grows_linearly(name: str) -> None:
    n, make = RESULTS[name]
    check_linear(lambda data: judge(data, "result.json", None), make, n)


@pytest.mark.parametrize("name", STREAMS)
def test_masking_a_stream_grows_linearly(name: str) -> None:
    def feed(data: bytes) -> None:
        stream = REDACTOR.stream()
        for start in range(0, len(data), 2048):
            stream.feed(data[start : start + 2048])
        stream.close()

    n, make = STREAMS[name]
    check_linear(feed, make, n)
    check_linear(REDACTOR.scrub, make, n)


def test_masking_keys_that_become_equal_grows_linearly() -> None:
    encoded = SECRET.encode().hex()

    def make(n: int) -> dict[str, int]:
        return {encoded[:30] + "\n" * number + encoded[30:]: 0 for number in range(n)}

    check_linear(lambda raw: masked(raw, REDACTOR), make, 40)


def test_items_and_ends_of_logs_grow_linearly() -> None:
    def items(n: int) -> dict[str, Any]:
        return {"items": [{"id": str(number), "score": 1} for number in range(n)]}

    check_linear(read_items, items, 10_000)
    for piece in ("\x1b", "\x1b[0", "\x1b]0;", "\x1b[" + "0" * 200, "\r", "x\n"):
        check_linear(printable, lambda n, piece=piece: piece * n, 4_000)

        def tail(text: str) -> None:
            kept = Tail()
            kept.add(text.encode())
            kept.lines(20)

        check_linear(tail, lambda n, piece=piece: piece * n, 4_000)


def test_a_secret_broken_by_some_line_breaks_is_masked_and_by_megabytes_of_them_is_not_waited_for() -> None:
    encoded = SECRET.encode().hex().encode()
    broken = b"\n".join(encoded[at : at + 8] for at in range(0, len(encoded), 8))
    stream = REDACTOR.stream()
    assert b"".join([*(stream.feed(bytes([byte])) for byte in broken), stream.close()]) == b"[redacted]"
    held = REDACTOR.stream()
    assert held.feed(encoded[:20] + b"\n" * 1_000_000).startswith(encoded[:20])
