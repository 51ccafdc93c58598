"""Writing an aggregate's files: under its key, and as the headline; few of the former are kept."""

from __future__ import annotations

from pathlib import Path

from benchrouter.graph.nodes import AggregateNode
from benchrouter.make.session import Session, aggregate_paths
from benchrouter.store import layout
from benchrouter.store.atomic import make_dirs, write_atomic

_KEEP = 100


def write_aggregate(session: Session, node: AggregateNode) -> None:
    """Write the aggregate of what the jobs are now; raises OSError."""
    data = session.score(node, session.known_failures).to_bytes()
    for path in aggregate_paths(session.ws, node):
        make_dirs(path.parent, durable=False)
        write_atomic(path, data)
    _prune(layout.aggregates_dir(session.ws, node.benchmark.name, node.model.name))


def _prune(directory: Path) -> None:
    files = sorted(directory.glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    for path in files[:-_KEEP]:
        path.unlink(missing_ok=True)
