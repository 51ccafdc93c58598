"""`benchrouter env …`: environments, those of benchmarks and those of the workspace."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchrouter.faces.completion import environments, own_environments
from benchrouter.faces.out import Json, emit

if TYPE_CHECKING:
    from benchrouter.make.sources import Sources
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
    found, _ = _chosen([])
    _show(found, json)
    return 0


@app.command()
def status(which: Which = None, json: Json = False) -> int:
    """Show how environments stand.

    Exit status 1 when the image of one is nowhere yet; without names those count that a benchmark uses.
    """
    found, sources = _chosen(which or [])
    _show(found, json)
    asked = [each for each in found if which or each.benchmark]
    lacking = [each for each in asked if each.state not in ("in the engine", "from the archive")]
    return 1 if lacking or (sources.left_out and not which) else 0


def _show(found: list[EnvironmentState], json: bool) -> None:
    if json:
        emit("environments", environments=[asdict(each) for each in found])
    for each in () if json else found:
        label = f"{each.benchmark}/{each.name}" if each.benchmark else each.name
        state = each.state or ("engine not asked" if each.benchmark else "used by no benchmark")
        print(f"{label:30}  {state:18}  {each.tag or each.path}")


def _chosen(which: list[str]) -> tuple[list[EnvironmentState], Sources]:
    from benchrouter.faces.place import session
    from benchrouter.make.variables import UsageError
    from benchrouter.make.workspace_environments import environment_states
    from benchrouter.spec.names import did_you_mean

    begun = session({}, whole=True, lenient=True)
    found, faulty = environment_states(begun), [each.name for each in begun.sources.left_out]
    chosen = []
    for word in which:
        meant = [each for each in found if word in (each.name, each.benchmark, f"{each.benchmark}/{each.name}")]
        if not meant:
            if word.partition("/")[0] in faulty:
                raise UsageError(f"no environment `{word}` can be told, because of the faults above")
            known = [f"{each.benchmark}/{each.name}" if each.benchmark else each.name for each in found]
            raise UsageError(f"no environment `{word}`{did_you_mean(word, known)}")
        chosen += [each for each in meant if each not in chosen]
    return chosen if which else found, begun.sources


@app.command()
def build(
    which: Which = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Anew, with pull and without cache.")] = False,
    json: Json = False,
) -> int:
    """Build images that the engine lacks.

    With --json: events as lines.
    """
    chosen, sources = _chosen(which or [])
    _refuse_unused(chosen if which else [])
    labels = [f"{each.benchmark}/{each.name}" for each in chosen if each.benchmark]
    if not labels:
        if json:
            emit("run", run_id=None, state="COMPLETED", jobs=[], failures=[], kept=[], aggregates=[])
        else:
            print("no benchmark uses an environment: nothing to build")
        return _complete(sources)
    from benchrouter.make.commands.driving import drive
    from benchrouter.make.commands.run import Run

    given = {"refresh": ",".join(labels)} if refresh else {}
    flags = ["--json"] if json else ["--plain"]
    status = drive(Run, [*flags, *(f"image:{label}" for label in labels)], {**given, "bench": _sound(sources)})
    return status or (0 if which else _complete(sources))


def _complete(sources: Sources) -> int:
    """Give the status where all that could be built is there; a program is told, too, that this was not all."""
    from benchrouter.make.voice import complain

    if sources.left_out:
        complain("environments of benchmarks with faults were left out")
    return 1 if sources.left_out else 0


def _sound(sources: Sources) -> str:
    """Name the benchmarks that can be read, as `bench=` does."""
    return ",".join(choice.scanned.benchmark.root.name for choice in sources.selected) if sources.left_out else "*"


def _refuse_unused(chosen: list[EnvironmentState]) -> None:
    from benchrouter.make.variables import UsageError

    for each in chosen:
        if not each.benchmark:
            raise UsageError(
                f"environment `{each.name}` is used by no benchmark, so it has no image: one is built for the "
                f"benchmark whose benchmark.yaml says `environment: {each.name}`"
            )


@app.command()
def delete(
    name: Annotated[str, typer.Argument(help="An environment of the workspace.", autocompletion=own_environments)],
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
