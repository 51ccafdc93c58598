"""The keys of a policy file of `gate`, as they may be written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema

from benchrouter.spec import json_forms as forms
from benchrouter.spec.shapes import Scalar, Shape, Text, Texts


def _share(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError("expected a number from 0 to 1")
    return float(value)


def _level(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise ValueError("expected a number between 0 and 1, such as 0.05")
    return float(value)


def _gates(value: Any) -> Any:
    if not isinstance(value, list) or not value:
        raise ValueError("expected a list of at least one gate")
    return value


Share = Annotated[float, BeforeValidator(_share), WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1})]
Level = Annotated[
    float,
    BeforeValidator(_level),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}),
]


class GateShape(Shape):
    """One gate."""

    TOGETHER: ClassVar[Mapping[str, str]] = {
        "maximum_drop": "baseline",
        "baseline": "maximum_drop",
        "significance": "maximum_drop",
        "other_content": "maximum_drop",
    }
    """Keys that are wrong without another one."""

    model_config = ConfigDict(json_schema_extra={"allOf": [forms.needs(key, other) for key, other in TOGETHER.items()]})

    benchmark: Text = Field(description="The benchmark whose score is looked at; BENCHMARK/TASK, a group, a directory.")
    models: Texts = Field(default_factory=list, description="Models; without it, all that have results.")
    tasks: Texts = Field(default_factory=list, description="Only these tasks; without it, all.")
    variables: dict[str, Scalar] = Field(default_factory=dict, description="The run's variables in capitals.")
    minimum: Share | None = Field(default=None, description="The lowest score that passes.")
    coverage: Share = Field(default=1.0, description="The share of declared jobs that must have a score.")
    maximum_drop: Share | None = Field(default=None, description="How far below the baseline the score may be.")
    significance: Level | None = Field(
        default=None, description="A larger drop fails only if the paired test gives a p below this, such as 0.05."
    )
    baseline: Text | None = Field(default=None, description="A run's id, or the path of an aggregate file.")
    other_content: bool | None = Field(
        default=None, description="Whether the baseline may be of other task content; without it, that does not pass."
    )


class PolicyShape(Shape):
    """A policy file of `benchrouter gate`."""

    as_written = (("gates", "*", "benchmark"), ("gates", "*", "baseline"))

    gates: Annotated[list[GateShape], BeforeValidator(_gates)] = Field(
        description="The demands; all have to be met.", json_schema_extra={"minItems": 1}
    )
