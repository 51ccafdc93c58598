"""`benchrouter models …`: which models there are, installing one that is embedded, asking endpoints."""

from __future__ import annotations

from typing import Annotated

import typer

from benchrouter.faces.completion import models
from benchrouter.faces.out import Json, emit
from benchrouter.faces.words import Model, split

app = typer.Typer(help="Models: list, install, check.", no_args_is_help=True)


@app.command("list")
def list_(json: Json = False) -> int:
    """List embedded and declared models, and how they stand."""
    from benchrouter.faces.place import session
    from benchrouter.make.commands.models import model_rows
    from benchrouter.make.voice import in_its_words

    rows = [(name, kind, in_its_words(state)) for name, kind, state in model_rows(session(lenient=True))]
    if json:
        emit("models", models=[{"name": name, "kind": kind, "state": state} for name, kind, state in rows])
        return 0
    widths = [max(len(row[at]) for row in rows) for at in (0, 1)]
    for name, kind, state in rows:
        print(f"{name:{widths[0]}}  {kind:{widths[1]}}  {state}")
    return 0


@app.command()
def install(
    name: Annotated[str, typer.Argument(help="An embedded model.", autocompletion=models)], json: Json = False
) -> int:
    """Install an embedded model."""
    from benchrouter.faces.place import session
    from benchrouter.make.commands.models import install_model

    status = install_model(session(lenient=True), name)
    if json:
        emit("model_installed", name=name, installed=status == 0)
    return status


@app.command()
def check(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Without any: BENCHROUTER_MODEL_NAME, else all that are declared.",
            autocompletion=models,
            show_default=False,
        ),
    ] = None,
    model: Model = None,
    json: Json = False,
) -> int:
    """Ask the endpoints of models once.

    Is it there, is the key right, is the model listed. Exit status 1 if not.
    """
    from benchrouter.faces.place import session
    from benchrouter.make.checking import check_models

    found = check_models(session(lenient=True), split([*(names or ()), *(model or ())]))
    good = all(each.good for each in found)
    if json:
        emit("models_checked", ok=good, models=[each.to_json() for each in found])
        return 0 if good else 1
    for each in found:
        print(f"{each.name}: {'ok' if each.good else 'not ok'}{', ' + each.detail if each.detail else ''}")
    return 0 if good else 1
