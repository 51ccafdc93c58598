"""The part of a plan that concerns images: which there are, which come from the archive, which are to be built."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from benchrouter.engine.errors import EngineError
from benchrouter.graph.nodes import ImageNode, JobNode
from benchrouter.graph.tars import tars_of
from benchrouter.make.obtaining import hint, with_hint
from benchrouter.make.session import Session

Look = Callable[[str], bool]


def image_lines(session: Session) -> Iterator[str]:
    """Lay out the images of the due jobs as lines of text; the engine is asked only if one answers at once."""
    from benchrouter.engine.archive import Archive

    archive = Archive(session.ws)

    def archived(reference: str) -> bool:
        return archive.find(reference) is not None

    with _asked(session) as in_engine:
        yield from _environments(session, in_engine, archived)
        yield from _outside(session, in_engine, archived)
        yield from _built_on(session, in_engine, archived)
    yield from _to_save(session, archived)


@contextmanager
def _asked(session: Session) -> Iterator[Look | None]:
    """Give a way to ask the engine for an image; None when no engine answers at once."""
    from benchrouter.engine.client import Engine
    from benchrouter.engine.images import image_id

    try:
        engine = Engine.connect(session.sources.settings.site.engine, 1.0)
    except EngineError:
        yield None
        return
    try:
        yield lambda name: image_id(engine, name) is not None
    finally:
        engine.close()


def image_states(session: Session) -> dict[str, str]:
    """Say of each image of the due jobs where it comes from, by node; "" where no engine answers to be asked."""
    return states_of(session, session.needs.images)


def states_of(session: Session, images: Mapping[str, ImageNode]) -> dict[str, str]:
    """Say of each image where it comes from, by node; "" where no engine answers to be asked."""
    from benchrouter.engine.archive import Archive

    archive = Archive(session.ws)
    with _asked(session) as in_engine:
        return _states(images, in_engine, lambda reference: archive.find(reference) is not None)


def _states(images: Mapping[str, ImageNode], in_engine: Look | None, archived: Look) -> dict[str, str]:
    return {name: _state(image, in_engine, archived) for name, image in images.items()}


def _environments(session: Session, in_engine: Look | None, archived: Look) -> Iterator[str]:
    states = _states(session.needs.images, in_engine, archived)
    if in_engine is None:
        yield f"images: {len(states)} needed (engine not asked)"
    else:
        building = sum(state.startswith(("build", "rebuild")) for state in states.values())
        yield f"images: {building} of {len(states)} to build"
    for name, state in states.items():
        image = session.needs.images[name]
        bases = ", ".join((*image.bases, *image.siblings)) or "scratch"
        yield "  ".join(filter(None, (f"  {name}", state, f"(on {bases})")))


def _state(image: ImageNode, in_engine: Look | None, archived: Look) -> str:
    if image.refresh:
        return "rebuild with pull and without cache (refresh)"
    if in_engine is not None and in_engine(image.tag):
        return "in the engine"
    if archived(image.tag):
        return "from the archive"
    return "" if in_engine is None else "build"


def _outside(session: Session, in_engine: Look | None, archived: Look) -> Iterator[str]:
    """List the images that tasks name themselves."""
    images = session.graph.images
    refs = [ref for job in _jobs(session) for ref, name in job.uses.items() if name not in images]
    for ref in dict.fromkeys(refs):
        yield _from_outside(session, ref, "(named by tasks)", in_engine, archived)


def _built_on(session: Session, in_engine: Look | None, archived: Look) -> Iterator[str]:
    """List what images to build are built on, where it is not here, or may not be and its benchmark has a hint."""
    graph = session.graph
    used = {*session.needs.images, *graph.images_of(_jobs(session))}
    images = [image for name, image in graph.images.items() if name in used]
    building = [image for image in images if _state(image, in_engine, archived) in ("", "build")]
    for ref in dict.fromkeys(ref for image in building for ref in image.bases):
        if (in_engine or hint(session, ref)) and not _place(session, ref, in_engine, archived):
            yield _from_outside(session, ref, "(built on)", in_engine, archived)


def _jobs(session: Session) -> tuple[JobNode, ...]:
    """Give the jobs whose images are wanted: also those that lack something, which is not all that they need."""
    return tuple(j for j in session.due_jobs if session.lacking.of(j) or not session.unsupported.why(j))


def _from_outside(session: Session, ref: str, whose: str, in_engine: Look | None, archived: Look) -> str:
    place = _place(session, ref, in_engine, archived)
    told = hint(session, ref)
    absent = "to get" if told else "not here; will be pulled from its registry"
    line = "  ".join(filter(None, (f"  base:{ref}", place or (absent if in_engine else ""), whose)))
    return line if place else with_hint(line, told)


def _place(session: Session, ref: str, in_engine: Look | None, archived: Look) -> str:
    names = _names(session, ref)
    there = in_engine is not None and any(map(in_engine, names))
    return "in the engine" if there else "from the archive" if any(map(archived, names)) else ""


def _to_save(session: Session, archived: Look) -> Iterator[str]:
    images = session.graph.images
    tars = tars_of(session.graph, session.needs.jobs, everything=session.needs.everything_archived).values()
    names = [[images[tar.image].tag] if tar.image in images else _names(session, tar.label) for tar in tars]
    if names:
        lacking = sum(not any(map(archived, each)) for each in names)
        yield f"archive: {lacking} of {len(names)} images to save"


def _names(session: Session, ref: str) -> list[str]:
    """Give the names under which an image from outside may be here: its own, its stand-in's."""
    from benchrouter.engine.bases import alias_of

    return [name for name in (ref, alias_of(ref, session.sources.settings.site)) if name]
