"""What made a job's key, written out: goes into job.json and is what `explain` compares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from benchrouter import CONTRACT
from benchrouter.graph.build import Ask, Graph, base_key
from benchrouter.graph.nodes import ImageNode, JobNode
from benchrouter.keys.tree import Entry

Inputs = dict[str, object]
DIRECTORY, LINK, EXECUTABLE = "directory", "link to ", " executable"
"""How a directory, a link and an exec bit are written; a file is its digest."""


def job_inputs(ask: Ask, graph: Graph, job: JobNode) -> Inputs:
    """List everything that the job's key covers, file by file; reads the trees, since caches hold digests only.

    A tree that is no longer what the key covers has no `files`: better unknown than wrong.
    """
    images = {ref: _image(graph, graph.images[name]) for ref, name in job.uses.items() if name in graph.images}
    return {
        "contract": CONTRACT,
        **_files(job.facts.entries()),
        "task": job.facts.task().score_fields(),
        "image": _image(graph, graph.images[job.image]),
        **({"images": images} if images else {}),
        "model": ask.identities[job.model.name, job.id.benchmark],
        **({"data": ask.data_of(job.facts)} if job.facts.data else {}),
        "variables": dict(ask.variables),
        "templates": dict(ask.templates),
        "repeat": job.id.repeat,
        "seed": job.seed,
    }


def _image(graph: Graph, image: ImageNode) -> Inputs:
    facts = image.facts
    return {
        "environment": image.label,
        "key": image.key,
        **_files(facts.entries),
        "build_args": dict(facts.build_args),
        "platform": facts.platform,
        "bases": {ref: base_key(ref) for ref in image.bases},
        "siblings": {ref: _image(graph, graph.images[name]) for ref, name in image.siblings.items()},
        "epoch": image.epoch,
    }


def _files(entries: Iterable[Entry] | None) -> Inputs:
    if entries is None:
        return {}
    return {"files": {entry.path: _describe(entry) for entry in entries if entry.path}}


def _describe(entry: Entry) -> str:
    if entry.kind == "file":
        return f"{entry.content}{EXECUTABLE if entry.executable else ''}"
    return f"{LINK}{entry.content}" if entry.kind == "link" else DIRECTORY


def flatten(inputs: Mapping[str, object], prefix: tuple[str, ...] = ()) -> dict[tuple[str, ...], object]:
    """Turn nested inputs into {path of keys: value}, so that two of them can be compared leaf by leaf."""
    flat: dict[tuple[str, ...], object] = {}
    for key, value in inputs.items():
        path = (*prefix, key)
        if isinstance(value, Mapping) and value:
            flat.update(flatten(value, path))
        else:
            flat[path] = value
    return flat
