"""Templates: the workspace's own before the packaged ones, and which files of the workspace a rendering can use."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchrouter.jobs.compose_file import scalar
from benchrouter.jobs.words import one_line, quote
from benchrouter.keys.canonical import digest_bytes
from benchrouter.spec.inputs import read_input
from benchrouter.store.workspace import Workspace

if TYPE_CHECKING:
    from jinja2 import Environment, Template

TEMPLATES = Path(__file__).parent / "templates"


def load_template(workspace: Workspace | None, name: str) -> Template:
    """Load a template: the workspace's own, else the packaged one; raises what Jinja raises."""
    return _environment(workspace).get_template(name)


def replaced_templates(workspace: Workspace) -> list[str]:
    """Name the packaged templates that the workspace has in other words."""
    return [name for name in sorted(path.name for path in TEMPLATES.glob("*.j2")) if _is_replaced(workspace, name)]


def overridden_templates(workspace: Workspace) -> dict[str, str]:
    """Digest, by name, the workspace's templates that replace packaged ones, and all that they pull in.

    Raise OSError with the path of one that cannot be read.
    """
    replaced = replaced_templates(workspace)
    own = {name: _own(workspace, name) for name in sorted({*replaced, *_pulled_in(workspace, replaced)})}
    return {name: digest_bytes(data) for name, data in own.items() if data is not None}


def _is_replaced(workspace: Workspace, name: str) -> bool:
    try:
        return _own(workspace, name) is not None
    except OSError:
        return True  # trying the template says what is wrong


def _own(workspace: Workspace, name: str) -> bytes | None:
    """Read the workspace's own file of a name; None when there is none that differs from the packaged one."""
    own = _bytes(workspace.templates / name)
    return None if own == _bytes(TEMPLATES / name) else own


def _bytes(path: Path) -> bytes | None:
    try:
        return read_input(path)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None


def _pulled_in(workspace: Workspace, names: Iterable[str]) -> set[str]:
    """Follow `include`, `import` and `extends`; one whose name is computed may mean every file there is."""
    environment = _environment(workspace) if names else None
    found: set[str] = set()
    waiting = [*names]
    while waiting and environment is not None:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            for reference in _references(environment, name):
                waiting += _all(workspace.templates) if reference is None else [_plain(reference)]
    return found


def _references(environment: Environment, name: str) -> list[str | None]:
    from jinja2 import TemplateError, meta

    try:
        source = environment.loader.get_source(environment, name)[0] if environment.loader else ""
        return list(meta.find_referenced_templates(environment.parse(source)))
    except (TemplateError, OSError, UnicodeDecodeError, RecursionError):
        return []  # trying the template says what is wrong


def _all(root: Path) -> Iterator[str]:
    for directory, _, files in os.walk(root):
        yield from (os.path.relpath(os.path.join(directory, name), root) for name in files)


def _plain(name: str) -> str:
    """Write a name as Jinja understands it."""
    return "/".join(part for part in name.split("/") if part not in ("", "."))


def _source(places: Iterable[Path], name: str) -> tuple[str, str, None]:
    """Find the text and the path of a template; raise what Jinja expects, or OSError."""
    from jinja2 import TemplateNotFound
    from jinja2.loaders import split_template_path

    parts = split_template_path(name)
    for place in places:
        path = place.joinpath(*parts)
        data = _bytes(path)
        if data is not None:
            return data.decode("utf-8"), str(path), None
    raise TemplateNotFound(name, f"'{name}' not found in {' or '.join(map(str, places))}")


def _environment(workspace: Workspace | None) -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    places = [TEMPLATES] if workspace is None else [workspace.templates, TEMPLATES]
    environment = Environment(
        loader=FunctionLoader(lambda name: _source(places, name)),
        undefined=StrictUndefined,
        autoescape=False,  # shell, not HTML: every value goes through `sh`
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["sh"] = quote
    environment.filters["yaml"] = scalar
    environment.filters["one_line"] = lambda text: one_line(quote(text))
    environment.filters["ljust"] = lambda text, width: str(text).ljust(width)
    return environment
