"""What a key needs to know of tasks and environments, cheap to hold by the ten thousand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from benchrouter.keys.canonical import JSON
from benchrouter.keys.ignore import Ignore, load_ignore
from benchrouter.keys.tree import Entry, Tree, hash_tree, signature
from benchrouter.spec.benchmark import TASK_FILE
from benchrouter.spec.mode import Mode, mode_of
from benchrouter.spec.problems import SpecError
from benchrouter.spec.task import Network, Task

NOT_IN_KEY = frozenset({TASK_FILE})


class TaskFacts(NamedTuple):
    """A task as its key sees it; `path` and `boundary` are its directory and the benchmark's.

    `tree_digest` covers the mounted tree but for task.yaml, `spec_digest` the score fields of that;
    `needs_images` are references to preload or to run as sidecars, `needs_environments` what sidecars build, `data`
    the names of data volumes.
    """

    name: str
    environment: str
    path: str
    boundary: str
    signature: bytes
    tree_digest: str
    spec_digest: str
    materialised: bool
    repeat: int
    seed: int | None
    network: Network
    docker: bool
    has_sidecars: bool
    needs_images: tuple[str, ...]
    needs_environments: tuple[str, ...]
    task_json: str
    data: tuple[str, ...] = ()

    @property
    def root(self) -> Path:
        """Give the task's directory."""
        return Path(self.path)

    @property
    def mode(self) -> Mode:
        """Tell in which mode the task is executed."""
        return mode_of(docker=self.docker, sidecars=self.has_sidecars)

    def task(self) -> Task:
        """Build the whole task."""
        return Task.from_json(json.loads(self.task_json))

    def tree(self) -> Tree:
        """Hash the tree now; raise SpecError as `hash_tree` does."""
        return hash_tree(Path(self.path), boundary=Path(self.boundary), exclude=NOT_IN_KEY)

    def entries(self) -> tuple[Entry, ...] | None:
        """Give the tree's entries as its digest covers them; None when it has changed since."""
        try:
            tree = self.tree()
        except SpecError:
            return None
        return tree.entries if tree.digest == self.tree_digest else None

    def signature_now(self) -> bytes:
        """Sign the tree as it is now; differs from `signature` when something in it was touched since."""
        return signature(Path(self.path), boundary=Path(self.boundary), exclude=NOT_IN_KEY)


@dataclass(frozen=True)
class EnvironmentFacts:
    """An environment as its image's key sees it; references are as written, after ARG substitution.

    `base_refs` are images from outside, `sibling_refs` name other environments (`spec.dockerfile.siblings`), `supplied`
    are paths in the context that the user adds.
    """

    name: str
    root: Path
    signature: bytes
    dockerfile_digest: str
    context_digest: str
    build_args: Mapping[str, str]
    platform: str | None
    base_refs: tuple[str, ...]
    sibling_refs: tuple[str, ...]
    needs_buildkit: str | None
    syntax: str | None
    supplied: tuple[str, ...] = ()

    @property
    def dockerfile(self) -> Path:
        """Give the path of the Dockerfile."""
        return self.root / "Dockerfile"

    def inputs(self) -> dict[str, JSON]:
        """Give the image's own part of its key; keys of bases and the epoch are the caller's to add."""
        return {
            "dockerfile": self.dockerfile_digest,
            "context": self.context_digest,
            "build_args": dict(self.build_args),
            "platform": self.platform,
        }

    def lacking(self) -> tuple[str, ...]:
        """Name the supplied paths that are not there now: no file, and no directory with anything in it."""
        return tuple(path for path in self.supplied if not _is_supplied(self.root, path))

    def ignore(self) -> Ignore:
        """Read what the build context leaves out."""
        return load_ignore(self.root)

    def tree(self) -> Tree:
        """Hash the build context now."""
        return hash_tree(self.root, ignore=self.ignore())

    @cached_property
    def entries(self) -> tuple[Entry, ...] | None:
        """Give the context's entries as its digest covers them; None when it has changed since."""
        try:
            tree = self.tree()
        except SpecError:
            return None
        return tree.entries if tree.digest == self.context_digest else None


def _is_supplied(root: Path, path: str) -> bool:
    """Look at what a builder would see: a link that leaves the context leads to nothing there."""
    place = root / path
    if not place.resolve().is_relative_to(root.resolve()):
        return False
    try:
        return any(place.iterdir()) if place.is_dir() else place.is_file()
    except OSError:
        return False
