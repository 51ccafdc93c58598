"""`benchrouter env …`: environments, those of benchmarks and those of the workspace."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchrouter.faces.completion import environments
from benchrouter.faces.out import Json, emit

if TYPE_CHECKING:
    from benchrouter.make.workspace_environments import EnvironmentState

app = typer.Typer(help="Environments: take in, list, build, remove.", no_args_is_help=True)

_WHICH = "BENCHMARK/ENVIRONMENT, BENCHMARK, or ENVIRONMENT; without any: all."
Which = Annotated[
    list[str] | None, typer.Argument(metavar="ENV", help=_WHICH, autocompletion=environments, show_default=False)
]


@app.command()
def register(
    name: Annotated[str, typer.Option("--name", help="The name that benchmarks use.")],
    dockerfile: Annotated[Path | None, typer.Option("--dockerfile", help="A Dockerfile without a context.")] = None,
    path: Annotated[Path | None, typer.Option("--path", help="A directory (or tar) with a Dockerfile.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="In place of one of the same name.")] = False,
    json: Json = False,
) -> int:
    """Give the workspace an environment.

    For benchmarks that bring none of that name.
    """
    from benchrouter.faces.place import enter, typed_path
    from benchrouter.make.variables import UsageError
    from benchrouter.make.workspace_environments import register_environment

    if (dockerfile is None) == (path is None):
        raise UsageError("env register: expected one of --dockerfile FILE and --path DIRECTORY")
    ws = enter()
    files = [None if given is None else typed_path(given) for given in (dockerfile, path)]
    made = register_environment(ws, name, dockerfile=files[0], directory=files[1], replacing=replace)
    if json:
        emit("environment_registered", name=name, path=str(made))
    else:
        print(made)
    return 0


@app.command("list")
def list_(json: Json = False) -> int:
    """List all environments, and where their images are."""
    return _show(None, json)


@app.command()
def status(which: Which = None, json: Json = False) -> int:
    """Show how environments stand.

    Exit status 1 when the image of one is nowhere yet.
    """
    return _show(which or [], json)


def _show(which: list[str] | None, json: bool) -> int:
    found = _chosen(which or [])
    if json:
        emit("environments", environments=[asdict(each) for each in found])
    for each in () if json else found:
        label = f"{each.benchmark}/{each.name}" if each.benchmark else each.name
        state = each.state or ("engine not asked" if each.benchmark else "used by no benchmark")
        print(f"{label:30}  {state:18}  {each.tag or each.path}")
    lacking = [each for each in found if each.benchmark and each.state not in ("in the engine", "from the archive")]
    return 1 if which is not None and lacking else 0


def _chosen(which: list[str]) -> list[EnvironmentState]:
    from benchrouter.faces.place import session
    from benchrouter.make.variables import UsageError
    from benchrouter.make.workspace_environments import environment_states
    from benchrouter.spec.names import did_you_mean

    found = environment_states(session({}, whole=True))
    chosen = []
    for word in which:
        meant = [each for each in found if word in (each.name, each.benchmark, f"{each.benchmark}/{each.name}")]
        if not meant:
            known = [f"{each.benchmark}/{each.name}" if each.benchmark else each.name for each in found]
            raise UsageError(f"no environment `{word}`{did_you_mean(word, known)}")
        chosen += [each for each in meant if each not in chosen]
    return chosen if which else found


@app.command()
def build(
    which: Which = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Anew, with pull and without cache.")] = False,
    json: Json = False,
) -> int:
    """Build images that the engine lacks.

    With --json: events as lines.
    """
    chosen = [each for each in _chosen(which or []) if each.benchmark]
    labels = [f"{each.benchmark}/{each.name}" for each in chosen]
    from benchrouter.make.commands.driving import drive
    from benchrouter.make.commands.run import Run

    given = {"refresh": ",".join(labels)} if refresh else {}
    flags = ["--json"] if json else ["--plain"]
    return drive(Run, [*flags, *(f"image:{label}" for label in labels)], {**given, "bench": "*"})


@app.command()
def delete(
    name: Annotated[str, typer.Argument(help="An environment of the workspace.")],
    json: Json = False,
) -> int:
    """Remove an environment of the workspace.

    Those of benchmarks stay, and so do images (`clean` removes them).
    """
    from benchrouter.faces.place import enter
    from benchrouter.make.workspace_environments import delete_environment

    path = delete_environment(enter(), name)
    if json:
        emit("environment_deleted", name=name, path=str(path))
    else:
        print(f"removed {path}")
    return 0
