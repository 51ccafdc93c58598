"""`doit graph`: the graph as Mermaid or DOT."""

from __future__ import annotations

import sys
from typing import Any

from benchrouter.graph.picture import Edge, dot, edges, mermaid
from benchrouter.make.commands.guard import OK
from benchrouter.make.commands.plain import PlainCommand
from benchrouter.make.session import Session, doit_variables


class Graph(PlainCommand):
    """Prints the graph, one node per benchmark's jobs, or every node with full=1."""

    doc_purpose = "print the graph as Mermaid (format=dot for Graphviz; full=1 for every node)"
    doc_usage = "[model=NAME,...] [bench=...] [format=mermaid|dot] [full=1]"

    def answer(self, options: Any, args: list[str]) -> int:
        """Print the picture's text."""
        session = Session.begin(doit_variables())
        session.require_benchmarks()
        sys.stdout.write(picture(session))
        return OK


def pairs_of(session: Session) -> list[Edge]:
    """List the edges of the graph that the variables ask for."""
    return edges(session.graph, collapsed=not session.variables.full, archived=session.needs.everything_archived)


def picture(session: Session) -> str:
    """Write the graph in the asked language."""
    return (dot if session.variables.format == "dot" else mermaid)(pairs_of(session))
