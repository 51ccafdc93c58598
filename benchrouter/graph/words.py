"""Names of nodes as people write them: with a model as it is called, a repeat before or after it (pure).

A node's own name holds the model's encoded name, which stays as it is for programs, paths and doit.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase

from benchrouter.spec.names import encode

_REPEAT = re.compile(r"(.*)#([0-9]+|\*)", re.DOTALL)
_OF_MODELS = ("job:", "config:", "aggregate:")
_READABLE = re.compile(r"[A-Za-z0-9][\w./:@+,~-]{0,99}", re.ASCII)


def own_words(word: str, models: Iterable[str]) -> tuple[str, ...]:
    """Give the names or patterns of nodes that a word means: itself, and those in the nodes' own spelling.

    `job:b/t` means the job of any model and repeat, `job:b/t#1@m` is `job:b/t@m#1`.
    """
    if not word.startswith(_OF_MODELS):
        return (word,)
    left, at, right = word.partition("@")
    first = _REPEAT.fullmatch(left)
    if first and not at:
        return (word, f"{first[1]}@*#{first[2]}")
    if not at:
        return (word, f"{word}@*") if "/" in word or word.startswith("aggregate:") else (word,)
    stem, repeat = (first[1], f"#{first[2]}") if first else (left, "")
    found = [word, *([f"{stem}@{right}{repeat}"] if repeat else [])]
    for model in models:
        found += [f"{stem}@{encode(model)}{end}" for end in _ends(right, repeat, model)]
    return tuple(dict.fromkeys(found))


def _ends(right: str, repeat: str, model: str) -> list[str]:
    """Give the repeats of a model that the part of a word after the `@` means."""
    if right == model or fnmatchcase(model, right):
        return [repeat, "#*"] if right.endswith("*") and not repeat else [repeat]
    after = None if repeat else _REPEAT.fullmatch(right)
    if after and (after[1] == model or fnmatchcase(model, after[1])):
        return [f"#{after[2]}"]
    return []


def meant(word: str, names: Iterable[str], models: Iterable[str]) -> list[str]:
    """Find the nodes that a word means."""
    words = own_words(word, models)
    known = list(names)
    if word in known:
        return [word]
    return [name for name in known if any(fnmatchcase(name, each) for each in words)]


def for_people(node: str, models: Collection[str]) -> str:
    """Name a node with its model as it is called, where that can be told from others and typed; else as it is."""
    if not node.startswith(_OF_MODELS):
        return node
    left, _, right = node.partition("@")
    encoded, hash_, repeat = right.partition("#")
    model = next((name for name in models if encode(name) == encoded), None)
    return node if model is None or not _READABLE.fullmatch(model) else f"{left}@{model}{hash_}{repeat}"
