from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from benchrouter.store import documents


def nested(depth: int) -> Any:
    value: Any = 1
    for level in range(depth):
        value = [value] if level % 2 else {"k": value}
    return value


def test_bytes_do_not_depend_on_the_order_of_insertion() -> None:
    assert documents.to_bytes({"a": 1, "b": {"c": 2, "d": 3}}) == documents.to_bytes(
        {"b": {"d": 3, "c": 2}, "a": 1}
    )


@pytest.mark.parametrize("encode", [documents.to_bytes, documents.to_lines])
def test_odd_text_survives_a_round_trip(encode: Any) -> None:
    document = {"a": 'ü\n\x00"\\', "lone surrogate": "\ud800", "list": [1, 2.5, None, True]}
    assert documents.from_bytes(encode(document)) == document


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_nan_is_never_written(value: float) -> None:
    for encode in (documents.to_bytes, documents.to_lines):
        with pytest.raises(ValueError):
            encode({"x": value})


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 100,
        b"{",
        b'{"a": 1',
        b"[]",
        b"1",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b"\xff\xfe{}",
        b"{}{}",
    ],
)
def test_torn_and_foreign_bytes_are_missing(data: bytes) -> None:
    assert documents.from_bytes(data) is None


def test_raw_results_may_nest_a_thousand_deep_in_any_thread() -> None:
    document = {"raw_metrics": nested(1000)}
    out: list[Any] = []
    thread = threading.Thread(target=lambda: out.append(documents.from_bytes(documents.to_lines(document))))
    thread.start()
    thread.join()
    assert out[0] is not None and out[0].keys() == document.keys()


def test_bottomless_nesting_is_missing_and_no_crash() -> None:
    assert documents.from_bytes(b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}") is None


def test_what_is_no_regular_file_is_missing_and_hangs_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "dir").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    before = len(os.listdir("/proc/self/fd"))
    for name in ("fifo", "dir", "loop", "absent", "fifo/x"):
        assert documents.read(tmp_path / name) is None
    assert len(os.listdir("/proc/self/fd")) == before
