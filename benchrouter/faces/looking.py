"""`benchrouter plan`, `explain`, `graph`: what a run would do, why, and on what; nothing starts, nothing is written."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from benchrouter.faces.completion import bench as benches
from benchrouter.faces.completion import nodes
from benchrouter.faces.out import Json, emit, say
from benchrouter.faces.words import Bench, Env, Model, Refresh, Repeat, Seed, Slots, Tasks, variables

Format = Literal["mermaid", "dot"]


def plan(
    bench: Bench = None,
    model: Model = None,
    tasks: Tasks = None,
    repeat: Repeat = None,
    seed: Seed = None,
    env: Env = None,
    slots: Slots = 8,
    refresh: Refresh = None,
    json: Json = False,
) -> int:
    """Show what a run would do, and why.

    Nothing is started, nothing is written.
    """
    given = variables(env, bench=bench, model=model, tasks=tasks, repeat=repeat, seed=seed, refresh=refresh)
    from benchrouter.faces.place import session as begin

    session = begin(given)
    session.require_model()
    session.require_benchmarks()
    if json:
        from benchrouter.make.telling import plan_json

        emit("plan", **plan_json(session, slots))
    else:
        from benchrouter.make.commands.plan import plan_lines

        say(plan_lines(session, slots))
    return 0


def explain(
    node: Annotated[
        list[str], typer.Argument(help="Nodes by name or pattern, such as 'job:hello/*'.", autocompletion=nodes)
    ],
    bench: Annotated[list[str] | None, typer.Option(help="Benchmarks to look at.", autocompletion=benches)] = None,
    model: Model = None,
    tasks: Tasks = None,
    repeat: Repeat = None,
    seed: Seed = None,
    env: Env = None,
    json: Json = False,
) -> int:
    """Explain nodes: why they run or do not.

    Says what each is made from, and the chain to the root cause.
    """
    given = variables(env, bench=bench, model=model, tasks=tasks, repeat=repeat, seed=seed)
    from benchrouter.faces.place import session as begin

    session = begin(given, named=node, whole=True)
    if any(word.startswith(("job:", "aggregate", "config:")) for word in node):
        session.require_model()
    if json:
        from benchrouter.make.telling import explain_json

        emit("explanation", nodes=explain_json(session, node))
    else:
        from benchrouter.make.commands.explain import explanation_lines

        say(explanation_lines(session, node))
    return 0


def graph(
    bench: Bench = None,
    model: Model = None,
    tasks: Tasks = None,
    repeat: Repeat = None,
    env: Env = None,
    full: Annotated[bool, typer.Option("--full", help="Every node instead of one per benchmark.")] = False,
    format: Annotated[Format, typer.Option(help="Text for Mermaid or for Graphviz.")] = "mermaid",
    json: Json = False,
) -> int:
    """Print the graph as Mermaid or DOT text.

    With --json as a list of edges.
    """
    given = variables(env, bench=bench, model=model, tasks=tasks, repeat=repeat, full=full or None, format=format)
    from benchrouter.faces.place import session as begin
    from benchrouter.make.commands.graph import pairs_of, picture

    session = begin(given)
    if json:
        emit("graph", edges=[{"from": first, "to": second} for first, second in pairs_of(session)])
    else:
        print(picture(session), end="")
    return 0


def cachekey(bench: Bench = None, tasks: Tasks = None, json: Json = False) -> int:
    """Print one short key for the images that tasks need.

    To name a CI cache by; no engine and no model is asked.
    """
    given = variables(bench=bench, tasks=tasks)
    from benchrouter.faces.place import session as begin
    from benchrouter.graph.imageset import cache_key

    session = begin(given)
    key = cache_key(session.sources.selected, session.graph.images)
    if json:
        emit("cachekey", key=key)
    else:
        print(key)
    return 0
