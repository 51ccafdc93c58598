"""The `benchrouter` command: verbs over the graph. Bodies of commands import what they need when they are called."""

from __future__ import annotations

from typing import Annotated

import typer

from benchrouter.faces import (
    benchmarks,
    doctor,
    environments,
    evaluations,
    export,
    images,
    init,
    looking,
    models,
    report,
    running,
)
from benchrouter.faces.compare import compare
from benchrouter.faces.gate import gate

app = typer.Typer(
    name="benchrouter",
    help="Run LLM benchmarks as their authors wrote them, and only what has to run.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("init")(init.init)
app.command("doctor")(doctor.doctor)
app.command("run")(running.run)
app.command("plan")(looking.plan)
app.command("explain")(looking.explain)
app.command("graph")(looking.graph)
app.command("cachekey")(looking.cachekey)
app.command("compare")(compare)
app.command("gate")(gate)
app.command("report")(report.report)
app.command("export")(export.export)
app.command("logs")(evaluations.logs)
app.add_typer(benchmarks.app, name="benchmark")
app.add_typer(evaluations.app, name="eval")
app.add_typer(environments.app, name="env")
app.add_typer(models.app, name="models")
app.add_typer(images.app, name="image")
app.add_typer(images.cache, name="cache")
app.command("clean")(images.clean)
app.command("bootstrap-image")(images.bootstrap_image)


def _version(asked: bool) -> None:
    if asked:
        from benchrouter import __version__

        print(f"benchrouter {__version__}")
        raise typer.Exit


@app.callback()
def _begin(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main() -> None:
    """Be the script `benchrouter`."""
    import sys

    from benchrouter.faces.ending import called

    sys.exit(called(app, sys.argv[1:]))
