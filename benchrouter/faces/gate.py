"""`benchrouter gate`: let a pipeline go on only with scores that are good enough."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchrouter.faces.compare import Results, place
from benchrouter.faces.out import Json, emit, say, warn

if TYPE_CHECKING:
    from benchrouter.scores.gate.policy import Gate


def gate(
    policy: Annotated[
        Path, typer.Argument(metavar="POLICY", help="The policy file; gate.yaml where you stand.")
    ] = Path("gate.yaml"),
    results: Results = None,
    json: Json = False,
) -> int:
    """Check scores against a policy file.

    Exit status 0 when all pass, 1 when one does not, 2 for a mistake.
    """
    from benchrouter.faces.place import typed_path
    from benchrouter.scores.gate.judge import judge
    from benchrouter.scores.gate.policy import load_policy

    root = place(results)
    path = typed_path(policy)
    found = judge(_expanded(load_policy(path), root), path, root)
    passed = all(each.passed for each in found)
    warn(text for each in found for text in each.warnings)
    if json:
        emit("gate", passed=passed, gates=[each.to_json() for each in found])
    else:
        say(line for each in found for line in each.lines())
    return 0 if passed else 1


def _expanded(gates: Sequence[Gate], root: Path) -> list[Gate]:
    """Give a gate for each benchmark that a gate's word means; what a group names is demanded, results or not."""
    from dataclasses import replace

    from benchrouter.faces.asked import asked, within
    from benchrouter.make.sources import benchmarks_of
    from benchrouter.scores.comparison.choosing import benchmarks
    from benchrouter.store.workspace import Workspace

    there = {*benchmarks(root), *benchmarks_of(Workspace(root.absolute().parent))}
    found = []
    for gate in gates:
        for name, own in asked([gate.benchmark], there).items():
            tasks = within({name: own}, gate.tasks).get(name, gate.tasks)  # one that is not there has to fail
            found.append(replace(gate, benchmark=name, tasks=tuple(tasks)))
    return found
