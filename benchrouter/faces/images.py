"""`benchrouter image …`, `cache …`, `clean`, `bootstrap-image`: what is kept on disk, and what may go."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchrouter.faces.completion import bases, environments, models
from benchrouter.faces.completion import images as archived_images
from benchrouter.faces.out import Json, emit, say
from benchrouter.faces.words import Benches

if TYPE_CHECKING:
    from benchrouter.engine.archive import Entry

app = typer.Typer(help="Images in the archive: list, take out, put in.", no_args_is_help=True)
cache = typer.Typer(help="What can be made again: look at its size, shrink it.", no_args_is_help=True)


@app.command("list")
def list_(json: Json = False) -> int:
    """List the images in the archive."""
    from benchrouter.engine.archive import Archive
    from benchrouter.faces.place import enter
    from benchrouter.make.commands.image import archived, listing

    archive = Archive(enter())
    if json:
        images = [{**_image(entry), "used": used} for entry, used in archived(archive)]
        emit("images", images=images, bytes=archive.size(), broken=[list(each) for each in archive.broken()])
    else:
        say(listing(archive))
    return 0


def _image(entry: Entry) -> dict[str, Any]:
    known = {"reference": entry.reference, "id": entry.image_id, "platform": entry.platform}
    return {**known, "bytes": entry.size, "layers": len(entry.layers)}


@app.command()
def export(
    reference: Annotated[
        str, typer.Argument(help="An image of the archive or the engine.", autocompletion=archived_images)
    ],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File; else the standard output.")] = None,
    json: Json = False,
) -> int:
    """Write an image as an archive that `docker load` takes."""
    import os
    import sys

    from benchrouter.engine.archive import Archive
    from benchrouter.faces.place import session, typed_path
    from benchrouter.make.commands.image import export_to
    from benchrouter.make.interruption import end_like_ctrl_c
    from benchrouter.make.variables import UsageError

    if output is None and (json or sys.stdout.isatty()):
        raise UsageError(f"image export writes an archive: benchrouter image export {reference} -o image.tar")
    end_like_ctrl_c()
    begun = session(lenient=True)
    archive = Archive(begun.ws)
    if output is None:
        with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
            export_to(begun, archive, reference, out)
        return 0
    path = typed_path(output)
    if not path.parent.is_dir():
        raise UsageError(f"{path}: there is no directory {path.parent}")
    partial = path.with_name(f".{path.name}.part")
    try:
        with open(partial, "wb") as out:
            entry = export_to(begun, archive, reference, out)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    if json:
        emit("image_exported", **_image(entry), path=str(path))
    else:
        print(path)
    return 0


@app.command("import")
def import_(
    file: Annotated[str, typer.Argument(help="What `docker save` wrote; - for the standard input.")],
    name: Annotated[str | None, typer.Argument(help="Under this name, where the file holds one image.")] = None,
    json: Json = False,
) -> int:
    """Put the images of a file into the archive."""
    from benchrouter.engine.archive import Archive
    from benchrouter.faces.place import session
    from benchrouter.make.commands.image import import_from, short_id
    from benchrouter.make.interruption import end_like_ctrl_c

    end_like_ctrl_c()
    begun = session(lenient=True)
    entries, gone = import_from(begun, Archive(begun.ws), file, name)
    if json:
        emit("images_imported", images=[*map(_image, entries)], dropped=gone)
        return 0
    say(f"{entry.reference}  {short_id(entry)}  {entry.platform}" for entry in entries)
    say(f"dropped for space: {reference}" for reference in gone)
    return 0


@cache.command("list")
def cache_list(json: Json = False) -> int:
    """Show what the cache holds, and how large it is."""
    from benchrouter.faces.place import enter
    from benchrouter.make.caches import sizes

    found = sizes(enter())
    if json:
        emit("cache", parts=[{"name": part.name, "about": part.about, "bytes": part.size} for part in found])
        return 0
    for part in found:
        print(f"{part.size / (1 << 20):10.1f} MiB  {part.name:9}  {part.about}")
    return 0


@cache.command()
def prune(
    max_size: Annotated[str | None, typer.Option("--max-size", help="Of the archive, e.g. 10g.")] = None,
    json: Json = False,
) -> int:
    """Shrink the archive of images.

    Drops the least recently used first; also what killed runs left in the cache, and what was hashed of directories
    that are no longer there.
    """
    from benchrouter.faces.place import session
    from benchrouter.make.caches import prune as shrink

    removed = shrink(session(lenient=True), max_size)
    if json:
        emit("cache_pruned", removed=removed)
    else:
        say(f"removed {name}" for name in removed or ["nothing"])
    return 0


def clean(
    images: Annotated[
        list[str] | None,
        typer.Argument(help="Only these: BENCHMARK/ENVIRONMENT, patterns.", autocompletion=environments),
    ] = None,
    results: Annotated[bool, typer.Option("--results", help="Results, too.")] = False,
    installed: Annotated[bool, typer.Option("--models", help="Installed models, too.")] = False,
    stale: Annotated[bool, typer.Option("--stale", help="Only what is superseded; needs --model.")] = False,
    model: Annotated[list[str] | None, typer.Option("--model", "-m", autocompletion=models)] = None,
    bench: Benches = None,
    seed: Annotated[int | None, typer.Option(help="With --stale: of results under this seed.")] = None,
    env: Annotated[
        list[str] | None, typer.Option("--env", "-e", metavar="K=V", help="With --stale: of results under it.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be removed.")] = False,
    json: Json = False,
) -> int:
    """Remove what can be made again.

    Images, archives, rendered configuration; results only on request.
    """
    from benchrouter.faces.place import session
    from benchrouter.faces.words import variables
    from benchrouter.make.commands.clean import clean as remove
    from benchrouter.make.commands.clean import report

    given = variables(
        env,
        results=results or None,
        models=installed or None,
        stale=stale or None,
        model=model,
        bench=bench,
        seed=seed,
    )
    names = [word if word.startswith("image") else f"image:{word}" for word in images or ()]
    removals = remove(session(given, whole=True, lenient=True), names, dry=dry_run)
    if not json:
        return report(removals, dry=dry_run)
    failed = [name for removal in removals for name in removal.failed]
    removed = [name for removal in removals for name in removal.removed]
    emit("cleaned", dry_run=dry_run, removed=removed, failed=failed)
    return 1 if failed else 0


def bootstrap_image(
    images: Annotated[
        list[str] | None, typer.Argument(help="Base images, such as python:3.12-slim.", autocompletion=bases)
    ] = None,
    packages: Annotated[str, typer.Option(help="Debian packages to put in, comma-separated.")] = "",
    suite: Annotated[str | None, typer.Option(help="Debian suite, for example bookworm.")] = None,
    missing: Annotated[bool, typer.Option("--missing", help="All that a run needs and lacks.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Anew when it is there.")] = False,
    bench: Benches = None,
    json: Json = False,
) -> int:
    """Make base images from Debian packages.

    For places where no registry can be reached.
    """
    from benchrouter.faces.place import session
    from benchrouter.faces.words import variables
    from benchrouter.make.commands.bootstrap_image import How, bootstrap_images
    from benchrouter.make.interruption import end_like_ctrl_c

    end_like_ctrl_c()
    how = How(tuple(word.strip() for word in packages.split(",") if word.strip()), suite, again)
    made = bootstrap_images(session(variables(bench=bench), lenient=True), images or [], how, missing=missing)
    if json:
        emit("bootstrapped", images=[{"reference": ref, "made": done} for ref, done in made.items()])
    return 0 if all(made.values()) else 1
