"""The part of a plan that concerns images: which there are, which come from the archive, which are to be built."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

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
        yield from (each.line() for each in _outside(session, in_engine, archived))
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


@dataclass(frozen=True)
class Outside:
    """An image that is not built here: `place` where it is, "" where it is not or no engine answers to be asked.

    `told` is how its benchmark says to get it; `named` where tasks name it themselves, else images are built on it.
    """

    ref: str
    place: str
    told: str
    named: bool
    asked: bool

    @property
    def state(self) -> str | None:
        """Say in a word where it comes from; None where that is not known."""
        return self.place or (("to get" if self.told else "pull") if self.asked else None)

    def line(self) -> str:
        """Say the same to a person."""
        absent = {"pull": "not here; will be pulled from its registry"}.get(self.state or "", self.state or "")
        whose = "(named by tasks)" if self.named else "(built on)"
        line = "  ".join(filter(None, (f"  base:{self.ref}", absent, whose)))
        return line if self.place else with_hint(line, self.told)


def images_outside(session: Session) -> list[Outside]:
    """List the images from outside that the due jobs need: those that tasks name, and missing ones to build on."""
    from benchrouter.engine.archive import Archive

    archive = Archive(session.ws)
    with _asked(session) as in_engine:
        return [*_outside(session, in_engine, lambda reference: archive.find(reference) is not None)]


def _outside(session: Session, in_engine: Look | None, archived: Look) -> Iterator[Outside]:
    images = session.graph.images
    refs = [ref for job in _jobs(session) for ref, name in job.uses.items() if name not in images]
    for ref in dict.fromkeys(refs):
        yield _from_outside(session, ref, in_engine, archived, named=True)
    for ref in _built_on(session, in_engine, archived):
        found = _from_outside(session, ref, in_engine, archived, named=False)
        if (found.asked or found.told) and not found.place:
            yield found


def _built_on(session: Session, in_engine: Look | None, archived: Look) -> Iterable[str]:
    """Name what the images to build are built on."""
    graph = session.graph
    used = {*session.needs.images, *graph.images_of(_jobs(session))}
    images = [image for name, image in graph.images.items() if name in used]
    building = [image for image in images if _state(image, in_engine, archived) in ("", "build")]
    return dict.fromkeys(ref for image in building for ref in image.bases)


def _from_outside(session: Session, ref: str, in_engine: Look | None, archived: Look, *, named: bool) -> Outside:
    return Outside(ref, _place(session, ref, in_engine, archived), hint(session, ref), named, in_engine is not None)


def _jobs(session: Session) -> tuple[JobNode, ...]:
    """Give the jobs whose images are wanted: also those that lack something, which is not all that they need."""
    return tuple(j for j in session.due_jobs if session.lacking.of(j) or not session.unsupported.why(j))


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
