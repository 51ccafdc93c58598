"""Why a job is not up to date: its present inputs against those of the artifact before it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from benchrouter.engine.bases import alias_key
from benchrouter.graph.inputs import Inputs, job_inputs
from benchrouter.graph.nodes import BaseNode, ImageNode, JobNode
from benchrouter.graph.reasons import Cause, count_roots, differences, image_differences
from benchrouter.graph.tars import TarNode
from benchrouter.keys.walk import inside
from benchrouter.make.session import Session
from benchrouter.store import layout
from benchrouter.store.history import newest_other, others

_COMPARED = 20


def why_job(session: Session, job: JobNode) -> tuple[Cause, ...]:
    """List the causes for which a stale job runs; empty for one that is up to date."""
    if job.id not in session.stale_ids:
        return ()
    if session.always:
        return (Cause("asked for with -a"),)
    causes: tuple[Cause, ...] = ()
    failure = session.failures.get(job.id)
    if failure is not None:
        causes = (Cause(f"failed before: {failure.reason.word}: {failure.detail}"),)
    if layout.job_dir(session.ws, job.id, job.key).exists():
        return (*causes, Cause("its result is damaged"))
    changed = _least_changes(session, job)
    if changed is None:
        return causes or (Cause("no result yet"),)
    return (*causes, *(changed or (Cause("its earlier result was removed"),)))


def _least_changes(session: Session, job: JobNode) -> tuple[Cause, ...] | None:
    """Compare with the earlier result that differs least, the newest of equals; None when there is none.

    The newest alone would mislead: a run with a variable leaves one that differs in what nobody changed.
    """
    new = job_inputs(session.sources.ask, session.graph, job)
    places = _places(session, job)
    each = [
        differences(earlier.inputs, new, places)
        for earlier in islice(others(session.ws, job.id, job.key), _COMPARED)
    ]
    least = min(each, key=count_roots, default=None)
    return None if least is None else _behind_links(session, job, least)


def _behind_links(session: Session, job: JobNode, causes: tuple[Cause, ...]) -> tuple[Cause, ...]:
    """Name the file itself where a changed one is reached by a link that leaves the task or the build context."""
    return tuple(
        replace(
            cause,
            text=cause.text + (_behind_link(session, _roots(session, job), *cause.file) if cause.file else ""),
            because=_behind_links(session, job, cause.because),
        )
        for cause in causes
    )


def _behind_link(session: Session, roots: dict[str, Path], label: str, name: str) -> str:
    root = os.path.realpath(roots[label])
    real = os.path.realpath(f"{root}/{name}")
    if inside(real, root):
        return ""
    top = os.path.realpath(session.ws.root)
    return f" ({os.path.relpath(real, top) if inside(real, top) else real}, through the link)"


def why_image(session: Session, image: ImageNode) -> tuple[Cause, ...]:
    """List what changed in an image since the last result on it; empty when nothing did, or nothing is known."""
    for job in session.stale_jobs:
        if image.name not in session.graph.images_of([job]):
            continue
        earlier = newest_other(session.ws, job.id, job.key)
        if earlier is not None:
            new = job_inputs(session.sources.ask, session.graph, job)
            causes = image_differences(earlier.inputs, new, image.label, _places(session, job))
            return _behind_links(session, job, causes)
    return ()


def _places(session: Session, job: JobNode) -> dict[str, str]:
    return {label: _shown(session, root) for label, root in _roots(session, job).items()}


def _roots(session: Session, job: JobNode) -> dict[str, Path]:
    images = session.graph.images_of([job]).values()
    return {"task": job.facts.root, **{image.label: image.facts.root for image in images}}


def _shown(session: Session, path: Path) -> str:
    try:
        return str(path.relative_to(session.ws.root))
    except ValueError:
        return os.fspath(path)


def facts_of_job(session: Session, job: JobNode) -> Iterator[str]:
    """Describe a job's inputs, for explain."""
    task = job.facts.task()
    image = session.graph.images[job.image]
    yield f"key        {job.key}"
    yield f"task       {_shown(session, job.facts.root)}  (command: {task.command.strip().splitlines()[0]})"
    yield f"image      {image.tag}"
    yield f"model      {job.model.name}" + (
        f" (called {job.model.id})" if job.model.id != job.model.name else ""
    )
    for name, value in session.sources.ask.variables.items():
        yield f"variable   {name}={value}"
    done = session.completed.get(job.id)
    if done is not None:
        yield f"result     {_shown(session, Path(done.path))}  overall {done.overall:.4f}"


def facts_of_image(session: Session, image: ImageNode) -> Iterator[str]:
    """Describe an image's inputs, for explain."""
    yield f"key        {image.key}"
    yield f"tag        {image.tag}"
    yield f"dockerfile {_shown(session, image.facts.dockerfile)}"
    for ref in image.bases:
        yield f"base       {ref}"
    for ref in image.siblings:
        yield f"sibling    {ref}"
    for name, value in image.facts.build_args.items():
        yield f"argument   {name}={value}"
    if image.epoch:
        yield f"epoch      {image.epoch}"


def facts_of_base(session: Session, base: BaseNode) -> Iterator[str]:
    """Describe an image from outside, for explain: what would stand in for it, and who needs it."""
    settings = session.sources.settings
    yield f"reference  {base.ref}"
    yield f"key        {base.key}"
    known = alias_key(base.ref, settings.site)
    if known is not None:
        where, line = settings.place("site", "image_aliases", known)
        place = _shown(session, Path(where)) + (f":{line}" if line else "")
        yield f"alias      {settings.site.image_aliases[known]}  ({place})"
        yield "           used where neither the engine nor the archive nor a registry has the reference"
    for image in session.graph.images.values():
        if base.ref in image.bases:
            yield f"needed by  {image.name}"
    for job in session.graph.jobs:
        if job.uses.get(base.ref) == base.name:
            yield f"needed by  {session.shown(job.name)}"


def archive_facts(session: Session, tar: TarNode) -> Iterator[str]:
    """Describe an image's place in the archive, for explain."""
    from benchrouter.engine.archive import Archive

    image = session.graph.images.get(tar.image)
    reference = image.tag if image else tar.label
    entry = Archive(session.ws).find(reference)
    yield f"image      {reference}"
    if entry is None:
        yield "archive    not there (or a stand-in of another name is)"
        return
    yield f"id         {entry.image_id}"
    yield f"platform   {entry.platform}"
    for layer in entry.layers:
        yield f"layer      {layer.diff_id}  {layer.size >> 20} MiB, {layer.stored >> 20} MiB stored"


def lines_of(causes: tuple[Cause, ...], indent: str = "  ") -> Iterator[str]:
    """Lay causes out as a chain, the root cause deepest."""
    for cause in causes:
        yield f"{indent}because {cause.text}" if len(indent) > 2 else f"{indent}- {cause.text}"
        yield from lines_of(cause.because, indent + "    ")


def inputs_for(session: Session, job: JobNode) -> Inputs:
    """Give the job's inputs as job.json will hold them."""
    return job_inputs(session.sources.ask, session.graph, job)
