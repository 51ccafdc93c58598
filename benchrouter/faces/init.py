"""`benchrouter init`: a workspace of one's own, anywhere."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from benchrouter.faces.out import Json, emit


def init(
    directory: Annotated[Path, typer.Argument(help="Where; made when it is not there.")] = Path(),
    benchmark: Annotated[str, typer.Option(help="Name of its first benchmark.")] = "first",
    json: Json = False,
) -> int:
    """Make a workspace with one benchmark.

    It holds the graph, settings, templates to override, and a benchmark that runs at once.
    """
    from benchrouter.make.scaffolding import make_workspace

    root = directory.expanduser().absolute()
    made = make_workspace(root, benchmark)
    if json:
        emit("workspace", root=str(root), made=[str(path) for path in made])
        return 0
    for path in made:
        print(path)
    steps = [] if root == Path.cwd() else [f"cd {quote(str(directory))}"]
    print("next:", *steps, "benchrouter doctor", "benchrouter run --model demo", sep="\n  ")
    return 0
