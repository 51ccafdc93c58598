"""Things that refer to each other in a circle: found, each circle once, without end in no case."""

from __future__ import annotations

from benchrouter.graph.circles import circles

EDGES = {"a": "b", "b": "ca", "c": "", "d": "e", "e": "d", "f": "f", "g": "a"}


def test_each_circle_is_told_once_with_its_way() -> None:
    """A node that only leads into a circle is not part of it."""
    assert list(circles(EDGES, lambda node: EDGES[node])) == [("a", "b", "a"), ("d", "e", "d"), ("f", "f")]
    assert list(circles("c", lambda node: EDGES[node])) == []


def test_a_long_way_is_no_recursion() -> None:
    """Longer than Python's stack is deep."""
    assert list(circles(range(5000), lambda n: [n + 1] if n < 4999 else [])) == []
    assert len(next(circles(range(5000), lambda n: [(n + 1) % 5000]))) == 5001
