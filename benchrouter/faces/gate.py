"""`benchrouter gate`: let a pipeline go on only with scores that are good enough."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchrouter.faces.compare import Results, place
from benchrouter.faces.out import Json, emit, say


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
    found = judge(load_policy(path), path, root)
    passed = all(each.passed for each in found)
    if json:
        emit("gate", passed=passed, gates=[each.to_json() for each in found])
    else:
        say(line for each in found for line in each.lines())
    return 0 if passed else 1
