"""The policy file of `gate`: what is demanded of which results."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from benchrouter.spec.problems import Problem, SpecError
from benchrouter.spec.shapes import Scalar, Shape, Text, Texts, check, strings
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
    baseline: str
    where: Problem
    """The place of the baseline in the file, for messages."""


def _share(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError("expected a number from 0 to 1")
    return float(value)


Share = Annotated[float, BeforeValidator(_share)]


def _gates(value: Any) -> Any:
    if not isinstance(value, list) or not value:
        raise ValueError("expected a list of at least one gate")
    return value


class GateShape(Shape):
    """One gate."""

    benchmark: Text = Field(description="The benchmark whose score is looked at; BENCHMARK/TASK, a group, a directory.")
    models: Texts = Field(default_factory=list, description="Models; without it, all that have results.")
    tasks: Texts = Field(default_factory=list, description="Only these tasks; without it, all.")
    variables: dict[str, Scalar] = Field(default_factory=dict, description="The run's variables in capitals.")
    minimum: Share | None = Field(default=None, description="The lowest score that passes.")
    coverage: Share = Field(default=1.0, description="The share of declared jobs that must have a score.")
    maximum_drop: Share | None = Field(default=None, description="How far below the baseline the score may be.")
    baseline: Text | None = Field(default=None, description="A run's id, or the path of an aggregate file.")


class PolicyShape(Shape):
    """A policy file."""

    as_written = (("gates", "*", "benchmark"), ("gates", "*", "baseline"))

    gates: Annotated[list[GateShape], BeforeValidator(_gates)]


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
    if (shape.maximum_drop is None) != (shape.baseline is None) and not misspelt:
        there, missing = ("baseline", "maximum_drop") if shape.baseline else ("maximum_drop", "baseline")
        message = f"`gates[{number}].{there}` is there without a `{missing}`; expected both or none"
        problems.append(document.problem((*at, there), message))
    return Gate(
        shape.benchmark,
        tuple(shape.models),
        tuple(shape.tasks),
        strings(document, (*at, "variables"), shape.variables),
        shape.minimum,
        shape.coverage,
        shape.maximum_drop,
        shape.baseline or "",
        document.problem((*at, "baseline"), f"`gates[{number}].baseline`"),
    )
