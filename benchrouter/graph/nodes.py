"""The nodes of the graph, as frozen values that know their own name.

Benchmark, environment and task names hold nothing that doit or a shell reserves (spec/names.py refuses it);
model names are encoded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from benchrouter.keys.facts import EnvironmentFacts, TaskFacts
from benchrouter.models.model import Model
from benchrouter.spec.benchmark import Benchmark
from benchrouter.spec.names import encode
from benchrouter.store.jobid import JobId


class Kind(Enum):
    """Kinds of node in the order of the graph: (word, what a plan says of a stale one)."""

    BASE = ("base", "get")
    IMAGE = ("image", "build")
    TAR = ("tar", "save")
    CONFIG = ("config", "render")
    JOB = ("job", "run")
    AGGREGATE = ("aggregate", "aggregate")

    def __init__(self, word: str, verb: str) -> None:
        self.word = word
        self.verb = verb


@dataclass(frozen=True, slots=True)
class BaseNode:
    """An image from outside, by the reference that a Dockerfile or a task writes."""

    ref: str
    key: str

    @property
    def name(self) -> str:
        """Name the node for doit."""
        return base_name(self.ref)


@dataclass(frozen=True, slots=True)
class ImageNode:
    """An environment's image; `bases` and `siblings` map references as written to base references and nodes."""

    benchmark: str
    environment: str
    key: str
    tag: str
    facts: EnvironmentFacts
    bases: tuple[str, ...]
    siblings: Mapping[str, str]
    epoch: str
    refresh: bool = False

    @property
    def label(self) -> str:
        """Name the image as `<benchmark>/<environment>`, as variables and files do."""
        return f"{self.benchmark}/{self.environment}"

    @property
    def name(self) -> str:
        """Name the node for doit."""
        return image_name(self.benchmark, self.environment)


def image_name(benchmark: str, environment: str) -> str:
    """Name the node of an environment's image."""
    return f"image:{benchmark}/{environment}"


def base_name(ref: str) -> str:
    """Name the node of an image from outside; a reference holds no character that doit reserves."""
    return f"base:{ref}"


@dataclass(frozen=True, slots=True)
class JobNode:
    """One job: what is run, against whom, from which image; `seed` is the task's or the run's, before the repeat.

    `uses` maps each further image (to preload, or of a sidecar), as the task writes it, to its node; what a sidecar
    builds stands there as `benchrouter-env-<environment>`.
    """

    id: JobId
    key: str
    facts: TaskFacts
    model: Model
    image: str
    seed: int | None
    uses: Mapping[str, str]

    @property
    def images(self) -> Iterator[str]:
        """Name the nodes of all images that the job needs, its own first."""
        yield self.image
        yield from self.uses.values()

    @property
    def label(self) -> str:
        """Name the job without its kind, as the `job:` and `config:` nodes share it."""
        ident = self.id
        repeat = f"#{ident.repeat}" if ident.repeat else ""
        return f"{ident.benchmark}/{ident.task}@{encode(ident.model)}{repeat}"

    @property
    def name(self) -> str:
        """Name the node for doit."""
        return f"job:{self.label}"


@dataclass(frozen=True, slots=True)
class AggregateNode:
    """The score of one benchmark and model over the jobs that were asked for."""

    benchmark: Benchmark
    model: Model
    jobs: tuple[JobNode, ...]
    key: str
    declared: int
    headline: bool

    @property
    def label(self) -> str:
        """Name the aggregate without its kind."""
        return f"{self.benchmark.name}@{encode(self.model.name)}"

    @property
    def name(self) -> str:
        """Name the node for doit."""
        return f"aggregate:{self.label}"
