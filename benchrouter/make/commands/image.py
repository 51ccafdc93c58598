"""`doit image`: the archive by hand: take an image out, put one in, look at what is there."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from benchrouter.make.commands.guard import NOT_ALL_COMPLETED, OK
from benchrouter.make.commands.plain import PlainCommand
from benchrouter.make.interruption import end_like_ctrl_c
from benchrouter.make.session import Session, doit_variables
from benchrouter.make.variables import UsageError
from benchrouter.make.voice import complain
from benchrouter.spec.names import did_you_mean

if TYPE_CHECKING:
    from benchrouter.engine.archive import Archive, Entry
    from benchrouter.engine.archive.archive import Taken
    from benchrouter.engine.archive.reading import ReadImage

_BLOCK = 1 << 20
_VERBS = ("export", "import", "list")
_USAGE = "export REF > FILE | import FILE [NAME] | list"


class Image(PlainCommand):
    """Exports to the standard output, imports from a file or `-`, lists."""

    name = "image"
    doc_purpose = "take images out of the archive (export), put them in (import), look at them (list)"
    doc_usage = _USAGE

    def answer(self, options: Any, args: list[str]) -> int:
        """Do what the first word says."""
        end_like_ctrl_c()
        verb, *words = args or [""]
        if verb not in _VERBS:
            hint = did_you_mean(verb, _VERBS) or " (`doit run image` brings the images of environments up to date)"
            raise UsageError(f"image {verb}: expected {_USAGE}{hint}")
        from benchrouter.engine.archive import Archive
        from benchrouter.engine.errors import EngineError

        session = Session.begin(doit_variables())
        archive = Archive(session.ws)
        try:
            if verb == "list":
                return _list(archive)
            if not words or len(words) > (2 if verb == "import" else 1):
                raise UsageError(f"image {verb}: expected {_USAGE}")
            if verb == "import":
                return _import(session, archive, *words)
            return _export(session, archive, words[0])
        except EngineError as error:
            complain(str(error))
            return NOT_ALL_COMPLETED


def _list(archive: Archive) -> int:
    for line in listing(archive):
        print(line)
    return OK


def archived(archive: Archive) -> list[tuple[Entry, float]]:
    """List what the archive holds, and when each was last used, by reference."""
    return sorted(archive.all(), key=lambda pair: pair[0].reference)


def listing(archive: Archive) -> Iterator[str]:
    """Lay out what the archive holds as lines of text."""
    for entry, used in archived(archive):
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(used))
        size = f"{entry.size >> 20} MiB in {len(entry.layers)} layers"
        yield f"{entry.reference}  {short_id(entry)}  {entry.platform}  {size}  used {when}"
    for what, why in archive.broken():
        yield f"{what}  broken: {why}; it counts as missing"
    yield f"{archive.size() >> 20} MiB in {archive.layers.root.parent}"


def short_id(entry: Entry) -> str:
    """Give the beginning of an image's id."""
    return entry.image_id.removeprefix("sha256:")[:12]


def _export(session: Session, archive: Archive, ref: str) -> int:
    if sys.stdout.isatty():
        raise UsageError(f"image export writes an archive: doit image export {ref} > image.tar")
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb", closefd=True) as out:
        export_to(session, archive, ref, out)
    return OK


def export_to(session: Session, archive: Archive, ref: str, out: BinaryIO) -> Entry:
    """Write a docker-archive; an image that only the engine has goes through the archive first."""
    entry = archive.find(ref) or _from_engine(session, archive, ref)
    names = [] if entry.reference == entry.image_id or "@" in entry.reference else [entry.reference]
    for block in archive.stream([(entry, names)]):
        out.write(block)
    return entry


def _from_engine(session: Session, archive: Archive, ref: str) -> Entry:
    from benchrouter.engine.archive import save
    from benchrouter.engine.client import Engine
    from benchrouter.engine.images import inspect_image

    engine = Engine.connect(session.sources.settings.site.engine)
    try:
        image = inspect_image(engine, ref)
        if image is None:
            known = [entry.reference for entry, _ in archive.all()]
            raise UsageError(f"{ref} is neither in the archive nor in the engine{did_you_mean(ref, known)}")
        session.ws.ensure()
        return save(archive, engine, image, ref, cancelled=threading.Event())
    finally:
        engine.close()


def _import(session: Session, archive: Archive, file: str, name: str | None = None) -> int:
    entries, gone = import_from(session, archive, file, name)
    for entry in entries:
        print(f"{entry.reference}  {short_id(entry)}  {entry.platform}")
    for reference in gone:
        print(f"dropped for space: {reference}")
    return OK


def import_from(
    session: Session, archive: Archive, file: str, name: str | None = None
) -> tuple[list[Entry], list[str]]:
    """Take every image of a file under its names, or the only one under the given name; say what had to go for it."""
    from benchrouter.engine.references import is_image_name

    if name is not None and not is_image_name(name):
        expected = "such as `lab/tool:1.2`: small letters, digits, `.`, `_`, `-`, no digest"
        raise UsageError(f"{name!r} is no name of an image; expected one {expected}")
    session.ws.ensure()
    began = time.time()

    def named(images: Sequence[ReadImage]) -> list[Taken]:
        return [taken for image in images for taken in _named(image, name, len(images))]

    from benchrouter.engine.archive import NotAnImageArchive

    with _opened(session, file) as source:
        try:
            entries = archive.take(_blocks(source), named)
        except NotAnImageArchive as error:
            raise UsageError(f"{file}: {error}") from None
    gone = archive.shrink(session.sources.settings.cache.max_size, began)
    return list(entries), list(gone.references)


def _named(image: ReadImage, name: str | None, of: int) -> list[Taken]:
    from benchrouter.engine.archive.archive import Taken

    if name is not None and of > 1:
        raise UsageError(f"the file holds {of} images; a name can be given to a single one only")
    names = image.names if name is None else (name,)
    return [Taken(image, each) for each in names or (image.image_id,)]


def _opened(session: Session, file: str) -> BinaryIO:
    if file == "-":
        return os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    try:
        return (session.cwd / Path(file).expanduser()).open("rb")
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None


def _blocks(source: BinaryIO) -> Iterator[bytes]:
    while block := source.read(_BLOCK):
        yield block
