"""The engine's frames, cut anywhere."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from benchrouter.engine.streams import Demultiplexer

_FRAMES = st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=40)), max_size=8)


@given(frames=_FRAMES, cut=st.integers(min_value=1, max_value=11))
def test_frames_survive_any_cut(frames: list[tuple[int, bytes]], cut: int) -> None:
    wire = b"".join(bytes([kind, 0, 0, 0]) + len(data).to_bytes(4, "big") + data for kind, data in frames)
    demultiplexer = Demultiplexer()
    heard = {"stdout": b"", "stderr": b""}
    for start in range(0, len(wire), cut):
        for stream, data in demultiplexer.feed(wire[start : start + cut]):
            heard[stream] += data
    assert heard["stdout"] == b"".join(data for kind, data in frames if kind == 1)
    assert heard["stderr"] == b"".join(data for kind, data in frames if kind == 2)
