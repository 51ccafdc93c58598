"""Circles among things that refer to each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def circles(nodes: Iterable[T], edges: Callable[[T], Iterable[T]]) -> Iterator[tuple[T, ...]]:
    """Find the shortest ways from nodes back to themselves, first and last the same; each circle once."""
    told: set[T] = set()
    for node in nodes:
        way = () if node in told else _way_back(node, edges)
        if way and not told & set(way):
            yield way
        told |= set(way)


def _way_back(start: T, edges: Callable[[T], Iterable[T]]) -> tuple[T, ...]:
    waiting: list[tuple[T, ...]] = [(start,)]
    seen: set[T] = set()
    while waiting:
        way = waiting.pop(0)
        for after in edges(way[-1]):
            if after == start:
                return (*way, after)
            if after not in seen:
                seen.add(after)
                waiting.append((*way, after))
    return ()
