"""Names of nodes as people type them: their kinds, and what to say of a word that is none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from benchrouter.graph.words import meant, own_words
from benchrouter.spec.names import did_you_mean

if TYPE_CHECKING:
    from benchrouter.make.session import Session

KINDS = ("base", "image", "tar", "config", "job", "aggregate")
"""Kinds of nodes: what dodo.py has task creators for."""


def unknown_nodes(session: Session, commands: Iterable[str] | None) -> list[str]:
    """Say of each named node that matches nothing what it may have meant; with None, of our kinds only."""
    if not session.named:
        return []
    known, models = known_nodes(session), session.variables.models
    words = [word for word in session.named if commands is not None or word.partition(":")[0] in KINDS]
    return [
        no_node(word, map(session.shown, known), commands or ())
        for word in words
        if not meant(word, known, models)
    ]


def known_nodes(session: Session) -> list[str]:
    """List all names of nodes, and of their kinds."""
    graph = session.graph
    known = [*KINDS, *graph.images]
    known += [*(base.name for base in graph.bases.values()), *session.needs.all_tars]
    known += [name for job in graph.jobs for name in (job.name, f"config:{job.label}")]
    return known + [node.name for node in graph.aggregates]


def in_own_words(words: Iterable[str], known: Iterable[str], models: Iterable[str]) -> list[str]:
    """Give what doit is to be told: a word that it would not understand becomes the names of the nodes meant."""
    names, models = list(known), tuple(models)
    found: list[str] = []
    for word in words:
        told = meant(word, names, models) if len(own_words(word, models)) > 1 else []
        found += told or [word]
    return list(dict.fromkeys(found))


def no_node(word: str, known: Iterable[str], commands: Iterable[str] = ()) -> str:
    """Say that a word is none of the nodes, nor of the commands where one could stand there."""
    commands = tuple(commands)
    if not commands:
        return f"no node `{word}`{did_you_mean(word, known)}; `doit list --all` names them"
    near = did_you_mean(word, [*commands, *known])
    return f"no node or command `{word}`{near}; `doit list --all` names the nodes, `doit help` the commands"
