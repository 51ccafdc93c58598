"""The policy file of `gate`: what is demanded of which results."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchrouter.spec.gate_shape import GateShape, PolicyShape
from benchrouter.spec.problems import Problem, SpecError
from benchrouter.spec.shapes import check, strings
from benchrouter.spec.yamlfile import Document, KeyPath, read_with_faults


@dataclass(frozen=True)
class Gate:
    """One demand; None or empty for what is not demanded. `baseline` is a run's id or a file, `where` its place."""

    benchmark: str
    models: tuple[str, ...]
    tasks: tuple[str, ...]
    variables: Mapping[str, str]
    minimum: float | None
    coverage: float
    maximum_drop: float | None
    significance: float | None
    baseline: str
    other_content: bool
    where: Problem
    """The place of the baseline in the file, for messages."""


def load_policy(path: Path) -> tuple[Gate, ...]:
    """Read a policy file; raise SpecError with all faults. An unknown key is one: it would demand nothing."""
    document = read_with_faults(path)
    shape, problems = check(document, PolicyShape)
    problems = [*document.problems, *map(_as_error, problems)]
    gates = [_gate(document, n, each, problems) for n, each in enumerate(shape.gates)] if shape else []
    if problems:
        raise SpecError(problems)
    return tuple(gates)


def _as_error(problem: Problem) -> Problem:
    return dataclasses.replace(problem, warning=False, message=problem.message.replace(" is ignored", "", 1))


def _gate(document: Document, number: int, shape: GateShape, problems: list[Problem]) -> Gate:
    at: KeyPath = ("gates", number)
    misspelt = any(f"`gates[{number}]." in problem.message for problem in problems)  # perhaps the other of the two
    alone = [(key, other) for key, other in GateShape.TOGETHER.items() if _given(shape, key) > _given(shape, other)]
    for key, other in alone if not misspelt else ():
        expected = "expected both or none" if GateShape.TOGETHER.get(other) == key else "it is about no other thing"
        message = f"`gates[{number}].{key}` is there without a `{other}`; {expected}"
        problems.append(document.problem((*at, key), message))
    return Gate(
        shape.benchmark,
        tuple(shape.models),
        tuple(shape.tasks),
        strings(document, (*at, "variables"), shape.variables),
        shape.minimum,
        shape.coverage,
        shape.maximum_drop,
        shape.significance,
        shape.baseline or "",
        bool(shape.other_content),
        document.problem((*at, "baseline"), f"`gates[{number}].baseline`"),
    )


def _given(shape: GateShape, key: str) -> bool:
    return getattr(shape, key) is not None
