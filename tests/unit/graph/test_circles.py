"""Things that refer to each other in a circle: found, each circle once, without end in no case."""

from __future__ import annotations

from benchrouter.graph.circles import circles

EDGES = {"a": "b", "b": "ca", "c": "", "d": "e", "e": "d", "f": "f", "g": "a"}


def test_each_circle_is_told_once_with_its_way() -> None:
    """A node that only leads into a circle is not part of it."""
    assert list(circles(EDGES, lambda node: EDGES[node])) == [("a", "b", "a"), ("d", "e", "d"), ("f", "f")]
    assert list(circles("c", lambda node: EDGES[node])) == []


def test_a_long_way_is_neither_recursion_nor_quadratic() -> None:
    """Far longer than Python's stack is deep: with a square of it, this test would not end."""
    assert list(circles(range(200_000), lambda n: [n + 1] if n < 199_999 else [])) == []
    assert len(next(circles(range(200_000), lambda n: [(n + 1) % 200_000]))) == 200_001
