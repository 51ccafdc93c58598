"""The graph as a picture: Mermaid and DOT text, per benchmark or node by node; pure."""

from __future__ import annotations

from collections.abc import Iterator

from benchrouter.graph.build import Graph
from benchrouter.graph.nodes import JobNode
from benchrouter.graph.tars import tars_before

Edge = tuple[str, str]
"""(from, to), both as labels for people."""


def edges(graph: Graph, *, collapsed: bool, archived: bool = False) -> list[Edge]:
    """List the edges once each, in the order of the graph; collapsed, a benchmark's jobs are one node.

    `archived`: every image goes into the archive, not only those that tasks preload.
    """
    found = dict.fromkeys(_collapsed(graph, archived) if collapsed else _all(graph, archived))
    return list(found)


def _images(graph: Graph) -> Iterator[Edge]:
    for image in graph.images.values():
        for ref in image.bases:
            yield f"base:{ref}", image.name
        for sibling in image.siblings.values():
            yield sibling, image.name


def _into(graph: Graph, job: JobNode, label: str, archived: bool) -> Iterator[Edge]:
    """The images of a job, and those that pass through the archive on their way."""
    tars = tars_before(graph, job, everything=archived)
    for tar in tars:
        yield tar.image, tar.name
        yield tar.name, label
    passed = {tar.image for tar in tars}
    yield from ((name, label) for name in job.images if name not in passed)


def _all(graph: Graph, archived: bool) -> Iterator[Edge]:
    yield from _images(graph)
    for aggregate in graph.aggregates:
        for job in aggregate.jobs:
            yield from _into(graph, job, job.name, archived)
            yield f"config:{job.label}", job.name
            yield job.name, aggregate.name
        yield aggregate.name, "aggregate"


def _collapsed(graph: Graph, archived: bool) -> Iterator[Edge]:
    yield from _images(graph)
    for aggregate in graph.aggregates:
        jobs = f"{len(aggregate.jobs)} jobs: {aggregate.label}"
        for job in aggregate.jobs:
            yield from _into(graph, job, jobs, archived)
        yield jobs, aggregate.name
        yield aggregate.name, "aggregate"


def _numbered(pairs: list[Edge]) -> dict[str, str]:
    names = dict.fromkeys(name for pair in pairs for name in pair)
    return {name: f"n{i}" for i, name in enumerate(names)}


def mermaid(pairs: list[Edge]) -> str:
    """Render as a Mermaid flowchart, left to right."""
    ids = _numbered(pairs)
    nodes = [f'    {ident}["{_mermaid_text(name)}"]' for name, ident in ids.items()]
    return "\n".join(["flowchart LR", *nodes, *(f"    {ids[a]} --> {ids[b]}" for a, b in pairs)]) + "\n"


def _mermaid_text(name: str) -> str:
    # '#' starts an entity in Mermaid, so it goes first.
    return name.replace("#", "#35;").replace('"', "#quot;")


def dot(pairs: list[Edge]) -> str:
    """Render as a Graphviz digraph."""
    ids = _numbered(pairs)

    def quoted(name: str) -> str:
        return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'

    nodes = [f"    {ident} [label={quoted(name)}];" for name, ident in ids.items()]
    links = [f"    {ids[a]} -> {ids[b]};" for a, b in pairs]
    return (
        "\n".join(["digraph benchrouter {", "    rankdir=LR;", "    node [shape=box];", *nodes, *links, "}"])
        + "\n"
    )
