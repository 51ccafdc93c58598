"""`benchrouter run`: the graph brought up to date, by the very command behind `doit run`."""

from __future__ import annotations

from typing import Annotated

import typer

from benchrouter.faces.completion import nodes
from benchrouter.faces.words import Bench, Env, Model, Refresh, Repeat, Seed, Slots, Tasks, variables


def run(
    bench: Bench = None,
    model: Model = None,
    tasks: Tasks = None,
    repeat: Repeat = None,
    seed: Seed = None,
    env: Env = None,
    slots: Slots = 8,
    force: Annotated[bool, typer.Option("--force", "-f", help="Run what is up to date, too.")] = False,
    failed: Annotated[bool, typer.Option("--failed", help="Run only the jobs that have failed before.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines instead of the live view.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Do not start when an image or data is missing.")] = False,
    preflight: Annotated[bool, typer.Option(help="Ask the endpoint once before the first job.")] = True,
    cache: Annotated[bool | None, typer.Option(help="Keep every image in the archive.", show_default=False)] = None,
    refresh: Refresh = None,
    node: Annotated[
        list[str] | None, typer.Option(help="Nodes by name instead, such as 'job:hello/*'.", autocompletion=nodes)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Events as JSON lines, then the result.")] = False,
) -> int:
    """Run what is not up to date, then show the scores.

    Jobs whose result is there already do not run.
    """
    given = variables(
        env,
        bench=bench,
        model=model,
        tasks=tasks,
        repeat=repeat,
        seed=seed,
        strict=strict or None,
        preflight=None if preflight else False,
        cache=cache,
        refresh=refresh,
    )
    from benchrouter.faces.place import enter

    enter()
    from benchrouter.make.commands.driving import drive
    from benchrouter.make.commands.run import Run

    flags = {"--always": force, "--failed": failed, "--plain": plain, "--json": json}
    options = [name for name, given_ in flags.items() if given_]
    return drive(Run, ["-n", str(slots), *options, *(node or ())], given)
