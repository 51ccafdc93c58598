"""Data volumes of the selected tasks: where they are on this machine, what they hold, what is wrong with them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from benchrouter.graph.build import Selected
from benchrouter.graph.nodes import JobNode
from benchrouter.jobs.request import DataVolume
from benchrouter.keys.cache import StatCache
from benchrouter.keys.data import content_of, signature_now
from benchrouter.keys.facts import TaskFacts
from benchrouter.make.reading import Reading
from benchrouter.spec.data import CONTENT, variable_of
from benchrouter.spec.names import did_you_mean
from benchrouter.spec.problems import Problem, SpecError
from benchrouter.spec.settings import LOCAL_FILE, Binding, Settings
from benchrouter.store.volumes import try_volumes

if TYPE_CHECKING:
    from benchrouter.make.session import Session


@dataclass(frozen=True)
class Volume:
    """A data volume here; `identity` is its part of keys, "" when unknown, `fault` why no job can use it.

    `signature` is of the stats of what was hashed, None for an identity that is declared.
    """

    name: str
    path: Path | None
    identity: str
    fault: str = ""
    signature: bytes | None = None

    def changed(self) -> bool:
        """Tell whether content that stands in keys was touched since."""
        return self.signature is not None and self.path is not None and signature_now(self.path) != self.signature


def read_volumes(reading: Reading, settings: Settings, selected: Iterable[Selected]) -> dict[str, Volume]:
    """Look at the volumes that the selected tasks name; a binding that cannot serve them is a problem of its file."""
    tasks = [
        facts
        for choice in selected
        for name, facts in choice.scanned.tasks.items()
        if name in choice.tasks and facts.data
    ]
    names = dict.fromkeys(name for facts in tasks for name in facts.data)
    reading.problems += _written_to(settings, tasks)
    cache = reading.cache(reading.ws.root)
    return {name: _volume(name, settings.data.get(name), settings.data, cache) for name in names}


def _written_to(settings: Settings, tasks: Iterable[TaskFacts]) -> Iterable[Problem]:
    found: dict[str, str] = {}
    for facts in tasks:
        for mount in facts.task().data:
            binding = settings.data.get(mount.name)
            if mount.writable and binding is not None and binding.identity == CONTENT:
                found.setdefault(mount.name, facts.path)
    for name, path in found.items():
        message = f"`data.{name}.identity`: found `content`, but {path} writes to it; declare a text of your own"
        yield Problem(*settings.place("data", name, "identity"), message)


def _volume(name: str, binding: Binding | None, known: Mapping[str, Binding], cache: StatCache) -> Volume:
    declared = binding.identity or "" if binding is not None else ""
    path = binding.path if binding is not None else None
    identity = "" if declared == CONTENT else declared
    if path is None:
        hint = did_you_mean(name, [other for other in known if other != name])
        told = f"write `data: {{{name}: {{path: …, identity: …}}}}` into {LOCAL_FILE}"
        return Volume(name, None, identity, f"data volume `{name}` is not bound{hint}; {told}")
    fault = _fault(path)
    if fault:
        return Volume(name, path, identity, f"data volume `{name}`: {path} {fault}")
    if declared != CONTENT:
        return Volume(name, path, identity)
    try:
        digest, signature = content_of(path, cache)
    except SpecError as error:
        first = error.problems[0]
        return Volume(name, path, "", f"data volume `{name}`: {first.where} {first.message}")
    return Volume(name, path, f"{CONTENT} {digest}", signature=signature)


def data_of(session: Session, job: JobNode) -> tuple[DataVolume, ...]:
    """List the data volumes of a job as its container gets them."""
    if not job.facts.data:
        return ()
    known = session.sources.volumes
    return tuple(DataVolume(m.name, known[m.name].path, m.path, m.writable) for m in job.facts.task().data)


def data_by_hand(session: Session, job: JobNode) -> list[str]:
    """Say where a job's data volumes are, in the words that its run.sh understands."""
    known = [volume for volume in data_of(session, job) if volume.source is not None]
    return [f"{variable_of(volume.name)}={quote(str(volume.source))}" for volume in known]


def hold_volumes(session: Session, job: JobNode) -> ExitStack | None:
    """Keep jobs that write to a volume apart from all others that use it; None while one of them has it."""
    written: dict[Path, bool] = {}
    for volume in data_of(session, job):
        if volume.source is not None:
            written[volume.source] = volume.writable or written.get(volume.source, False)
    return try_volumes(written.items())


def volume_changed(session: Session, job: JobNode) -> str | None:
    """Name a volume of a job whose content is not what its key covers."""
    found = (session.sources.volumes[name] for name in job.facts.data)
    return next((f"data volume `{volume.name}`" for volume in found if volume.changed()), None)


def volume_lines(session: Session, jobs: Iterable[JobNode]) -> Iterator[str]:
    """Lay out which data volumes jobs use, and where they are."""
    uses = Counter((mount.name, mount.writable) for job in jobs if job.facts.data for mount in job.facts.task().data)
    for (name, writable), count in sorted(uses.items()):
        volume = session.sources.volumes[name]
        how = ", written to by one job at a time" if writable else ""
        plural = "s" * (count != 1)
        yield f"data: {name} is {volume.path}, identity {volume.identity}{how} ({count} job{plural})"


def _fault(path: Path) -> str:
    if not path.is_dir():
        return "is no directory" if path.exists() else "is not there"
    return "" if os.access(path, os.R_OK | os.X_OK) else "cannot be read by you"
