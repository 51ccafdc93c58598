"""`doit explain NODE`: what a node is made from, and the chain from "it runs again" to the root cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from benchrouter.graph.words import meant
from benchrouter.make.commands.guard import OK
from benchrouter.make.commands.plain import PlainCommand
from benchrouter.make.nodes import no_node
from benchrouter.make.session import Session, doit_variables
from benchrouter.make.standing import aggregate_paths
from benchrouter.make.variables import UsageError
from benchrouter.make.why import (
    archive_facts,
    facts_of_base,
    facts_of_image,
    facts_of_job,
    lines_of,
    why_image,
    why_job,
)


class Explain(PlainCommand):
    """Explains nodes by name or pattern; starts nothing, writes nothing."""

    doc_purpose = "explain a node: its inputs, and why it is or is not up to date"
    doc_usage = "NODE ... [model=NAME,...] [VARIABLE=value]"

    def answer(self, options: Any, args: list[str]) -> int:
        """Print an explanation of each named node."""
        session = Session.begin(doit_variables(), named=args, whole=True)
        if not args:
            raise UsageError("explain what? Name a node, for example: doit explain 'job:*' model=demo")
        if any(word.startswith(("job:", "aggregate", "config:")) for word in args):
            session.require_model()
        for line in explanation_lines(session, args):
            print(line)
        return OK


def explanations(session: Session, words: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Explain each node that a word means, as (name, lines); raise UsageError for a word that means none."""
    nodes = _nodes(session)
    for word in words:
        found = meant(word, nodes, session.variables.models)
        if not found:
            raise UsageError(no_node(word, map(session.shown, nodes)))
        yield from ((name, list(nodes[name]())) for name in found)


def explanation_lines(session: Session, words: Iterable[str]) -> Iterator[str]:
    """Lay explanations out as lines of text."""
    for name, lines in explanations(session, words):
        yield session.shown(name)
        yield from (f"  {line}" for line in lines)


def _nodes(session: Session) -> dict[str, Any]:
    graph = session.graph
    nodes: dict[str, Any] = {
        base.name: lambda base=base: facts_of_base(session, base) for base in graph.bases.values()
    }
    for image in graph.images.values():
        nodes[image.name] = lambda image=image: _image(session, image)
    for name, tar in session.needs.all_tars.items():
        nodes[name] = lambda tar=tar: archive_facts(session, tar)
    for job in graph.jobs:
        nodes[job.name] = nodes[f"config:{job.label}"] = lambda job=job: _job(session, job)
    for node in graph.aggregates:
        nodes[node.name] = lambda node=node: _aggregate(session, node)
    nodes["aggregate"] = lambda: (line for node in graph.aggregates for line in _aggregate(session, node))
    return nodes


def _image(session: Session, image: Any) -> Iterator[str]:
    yield from facts_of_image(session, image)
    causes = why_image(session, image)
    if causes:
        yield "changed since the last result on it, because"
    yield from lines_of(causes)


def _job(session: Session, job: Any) -> Iterator[str]:
    yield from facts_of_job(session, job)
    causes = why_job(session, job)
    yield "up to date" if not causes else "runs, because"
    yield from lines_of(causes)


def _aggregate(session: Session, node: Any) -> Iterator[str]:
    for path in aggregate_paths(session.ws, node):
        yield f"file       {path.relative_to(session.ws.root)}"
    stale = [job for job in node.jobs if job.id in session.stale_ids]
    if not stale:
        yield (
            "is written again, because it does not say what its jobs say"
            if session.is_stale(node)
            else "up to date"
        )
        return
    yield f"is written again, because {len(stale)} of {len(node.jobs)} jobs run:"
    for job in stale:
        yield f"  {session.shown(job.name)}"
        yield from lines_of(why_job(session, job), "    ")
