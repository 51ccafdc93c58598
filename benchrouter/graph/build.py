"""From specs, models and variables to nodes with keys; pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from benchrouter import CONTRACT
from benchrouter.graph.nodes import AggregateNode, BaseNode, ImageNode, JobNode, base_name, image_name
from benchrouter.keys.canonical import JSON, digest, digest_bytes
from benchrouter.keys.facts import EnvironmentFacts, TaskFacts
from benchrouter.keys.scan import ScannedBenchmark
from benchrouter.models.model import Model
from benchrouter.spec.dockerfile import SIBLING_PREFIX, siblings
from benchrouter.spec.names import repository
from benchrouter.store.jobid import JobId

_NONE: Mapping[str, str] = MappingProxyType({})
EnvironmentId = tuple[str, str]
"""(benchmark, environment)."""


@dataclass(frozen=True)
class Environment:
    """An environment's facts, and which environment each of its sibling references means."""

    facts: EnvironmentFacts
    siblings: Mapping[str, EnvironmentId] = field(default_factory=dict)


@dataclass(frozen=True)
class Selected:
    """One benchmark of a run and the tasks asked for, in declared order."""

    scanned: ScannedBenchmark
    tasks: tuple[str, ...]


@dataclass(frozen=True)
class Ask:
    """What a run asks for: models, variables in capitals, and what overrides the tasks' own values.

    `identities` gives the identity of each (model, benchmark): for the demo model it is the content of the
    benchmark's answers. `templates` maps an overridden template to the digest of its bytes. `epochs` names the last
    refreshes of an environment by `<benchmark>/<environment>`; those in `refresh` are rebuilt by this run. `data` gives
    the identities of data volumes, "" for those that are not known.
    """

    models: tuple[Model, ...]
    identities: Mapping[tuple[str, str], JSON]
    variables: Mapping[str, str] = field(default_factory=dict)
    templates: Mapping[str, str] = field(default_factory=dict)
    repeat: int | None = None
    seed: int | None = None
    epochs: Mapping[str, str] = field(default_factory=dict)
    refresh: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, str] = field(default_factory=dict)

    def data_of(self, facts: TaskFacts) -> dict[str, str]:
        """Give the identities of a task's data volumes."""
        return {name: self.data.get(name, "") for name in facts.data}


@dataclass(frozen=True)
class Graph:
    """All nodes that an ask needs; `images` by node name, in an order in which siblings come first."""

    bases: Mapping[str, BaseNode]
    images: Mapping[str, ImageNode]
    jobs: tuple[JobNode, ...]
    aggregates: tuple[AggregateNode, ...]

    def images_of(self, jobs: Iterable[JobNode]) -> dict[str, ImageNode]:
        """Collect the images that jobs need, siblings included, siblings first."""
        wanted: set[str] = set()
        stack = [name for job in jobs for name in job.images]
        while stack:
            name = stack.pop()
            if name not in wanted and name in self.images:
                wanted.add(name)
                stack += self.images[name].siblings.values()
        return {name: image for name, image in self.images.items() if name in wanted}


def build(ask: Ask, selected: Iterable[Selected], environments: Mapping[EnvironmentId, Environment]) -> Graph:
    """Derive the graph; environments must not build on each other in a circle."""
    images = dict(_images(ask, environments))
    jobs: list[JobNode] = []
    aggregates: list[AggregateNode] = []
    for model in ask.models:
        for choice in selected:
            own = tuple(_jobs(ask, model, choice, images))
            jobs += own
            aggregates.append(_aggregate(ask, model, choice, own))
    refs = [ref for image in images.values() for ref in image.bases]
    refs += [ref for job in jobs for ref, name in job.uses.items() if name not in images]
    bases = {ref: BaseNode(ref, base_key(ref)) for ref in refs}
    return Graph(bases, images, tuple(jobs), tuple(aggregates))


def used_images(benchmark: str, facts: TaskFacts, images: Collection[str]) -> dict[str, str]:
    """Map the images that a task uses beside its own, as it writes them, to nodes; `images` are those of environments.

    What reads like an environment and is none is looked for outside, where nobody will have it.
    """
    refs = (*facts.needs_images, *(f"{SIBLING_PREFIX}{name}" for name in facts.needs_environments))
    return {ref: _image_behind(benchmark, ref, images) or base_name(ref) for ref in refs}


def _image_behind(benchmark: str, ref: str, images: Collection[str]) -> str | None:
    named = (image_name(owner or benchmark, environment) for owner, environment in siblings(ref))
    return next((name for name in named if name in images), None)


def base_key(ref: str) -> str:
    """Key of a base image: the reference as written, its digest included when pinned."""
    return digest({"base": ref})


def image_tag(benchmark: str, environment: str, key: str) -> str:
    """Name an environment's image: its content key is the tag."""
    return f"{repository(benchmark, environment)}:{key}"


def _images(ask: Ask, environments: Mapping[EnvironmentId, Environment]) -> Iterator[tuple[str, ImageNode]]:
    done: dict[EnvironmentId, ImageNode] = {}

    def visit(ident: EnvironmentId) -> ImageNode:
        if ident not in done:
            siblings = {ref: visit(sibling) for ref, sibling in environments[ident].siblings.items()}
            done[ident] = _image(ask, ident, environments[ident].facts, siblings)
        return done[ident]

    for ident in environments:
        visit(ident)
    for node in done.values():
        yield node.name, node


def _image(
    ask: Ask, ident: EnvironmentId, facts: EnvironmentFacts, siblings: Mapping[str, ImageNode]
) -> ImageNode:
    label = "/".join(ident)
    epoch = ask.refresh.get(label) or ask.epochs.get(label, "")
    key = digest(image_inputs(facts, {ref: node.key for ref, node in siblings.items()}, epoch))
    return ImageNode(
        benchmark=ident[0],
        environment=ident[1],
        key=key,
        tag=image_tag(*ident, key),
        facts=facts,
        bases=facts.base_refs,
        siblings={ref: node.name for ref, node in siblings.items()},
        epoch=epoch,
        refresh=label in ask.refresh,
    )


def image_inputs(facts: EnvironmentFacts, siblings: Mapping[str, str], epoch: str) -> dict[str, JSON]:
    """Say what an image's key covers; digests of trees stand for their files."""
    return {
        **facts.inputs(),
        "bases": {ref: base_key(ref) for ref in facts.base_refs},
        "siblings": dict(siblings),
        "epoch": epoch,
    }


def _jobs(ask: Ask, model: Model, choice: Selected, images: Mapping[str, ImageNode]) -> Iterator[JobNode]:
    benchmark = choice.scanned.benchmark.name
    common = digest(
        {
            "contract": CONTRACT,
            "model": ask.identities[model.name, benchmark],
            "variables": dict(ask.variables),
            "templates": dict(ask.templates),
        }
    )
    for name in choice.tasks:
        facts = choice.scanned.tasks[name]
        image = images[image_name(benchmark, facts.environment)]
        seed = facts.seed if ask.seed is None else ask.seed
        uses = used_images(benchmark, facts, images) if facts.needs_images or facts.needs_environments else _NONE
        # References from outside count as written; they stand in the task's own fields.
        others = "".join(f"\n{images[used].key}" for used in uses.values() if used in images)
        data = f"\ndata {digest(ask.data_of(facts))}" if facts.data else ""
        for repeat in range(ask.repeat or facts.repeat):
            # Names are safe path components: none holds a newline, so the text is unambiguous.
            task = f"{common}\n{benchmark}\n{name}\n{facts.tree_digest}\n{facts.spec_digest}"
            text = f"{task}\n{image.key}\n{repeat}\n{seed}{others}{data}"
            key = digest_bytes(text.encode("utf-8", "surrogateescape"))
            yield JobNode(JobId(benchmark, name, model.name, repeat), key, facts, model, image.name, seed, uses)


def _aggregate(ask: Ask, model: Model, choice: Selected, jobs: tuple[JobNode, ...]) -> AggregateNode:
    tasks = choice.scanned.tasks
    declared = sum(ask.repeat or facts.repeat for facts in tasks.values())
    whole = set(choice.tasks) == set(tasks)
    # The declared aggregation is part of the key: a changed one makes another file of the same jobs.
    benchmark = choice.scanned.benchmark
    key = digest([[job.key for job in jobs], benchmark.aggregate.to_json(), declared])
    return AggregateNode(benchmark, model, jobs, key, declared, headline=whole and not ask.variables)
