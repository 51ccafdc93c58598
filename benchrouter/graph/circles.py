"""Circles among things that refer to each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


def circles(nodes: Iterable[T], edges: Callable[[T], Iterable[T]]) -> Iterator[tuple[T, ...]]:
    """Find the shortest ways from nodes back to themselves, first and last the same; each circle once."""
    nodes = tuple(nodes)
    following = _between_circles(_reached(nodes, edges))
    told: set[T] = set()
    for node in nodes:
        way = _way_back(node, following) if node in following and node not in told else ()
        if way and not told & set(way):
            yield way
        told |= set(way)


def _reached(nodes: Iterable[T], edges: Callable[[T], Iterable[T]]) -> dict[T, Collection[T]]:
    """Map everything that can be reached to what follows it."""
    found: dict[T, Collection[T]] = {}
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = tuple(edges(node))
            waiting += found[node]
    return found


def _between_circles(following: Mapping[T, Collection[T]]) -> Mapping[T, Collection[T]]:
    """Leave out what only leads to circles or away from them: else a long way is walked from each of its nodes."""
    for _ in range(2):  # first from the ends, then, turned round, from the beginnings
        following = _turned(_without_ends(following))
    return following


def _without_ends(following: Mapping[T, Collection[T]]) -> Mapping[T, Collection[T]]:
    before = _turned(following)
    left = {node: len(after) for node, after in following.items()}
    ends = [node for node, count in left.items() if not count]
    while ends:
        for node in before[ends.pop()]:
            left[node] -= 1
            if not left[node]:
                ends.append(node)
    return {node: [n for n in after if left[n]] for node, after in following.items() if left[node]}


def _turned(following: Mapping[T, Collection[T]]) -> dict[T, list[T]]:
    before: dict[T, list[T]] = {node: [] for node in following}
    for node, after in following.items():
        for each in after:
            before[each].append(node)
    return before


def _way_back(start: T, following: Mapping[T, Collection[T]]) -> tuple[T, ...]:
    came_from: dict[T, T] = {}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for after in following[node]:
            if after == start:
                way = [node]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return (*reversed(way), start)
            if after not in came_from:
                came_from[after] = node
                waiting.append(after)
    return ()
