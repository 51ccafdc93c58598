"""The shape of `data:` in task.yaml and in benchrouter.yaml, and what single values of it do not show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from benchrouter.spec import json_forms as forms
from benchrouter.spec.data import DataMount, normal, overlap, path_fault, variable_of
from benchrouter.spec.names import component_fault
from benchrouter.spec.problems import Problem
from benchrouter.spec.settings import place_of
from benchrouter.spec.shapes import Name, Scalar, Shape, Text
from benchrouter.spec.yamlfile import Document


def _path(value: Any) -> str:
    fault = path_fault(value) if isinstance(value, str) else "expected text"
    if fault:
        raise ValueError(fault)
    return normal(value)


class DataShape(Shape):
    """A data volume that a task asks for."""

    name: Name = Field(description="Name of the volume, bound in benchrouter.yaml.")
    path: Annotated[str, BeforeValidator(_path), WithJsonSchema(forms.IN_CONTAINER)] = Field(
        description="Absolute path in the container."
    )
    writable: bool = Field(default=False, description="Jobs write to it, one at a time.")


class BindingShape(Shape):
    """Where a data volume is on this machine, and what it holds."""

    path: Text | None = Field(default=None, description="Directory; relative to the workspace.")
    identity: Scalar | None = Field(default=None, description="What it holds: a text of yours, or `content`.")


def to_data(shapes: list[DataShape]) -> tuple[DataMount, ...]:
    """Make the frozen mounts."""
    return tuple(DataMount(shape.name, shape.path, shape.writable) for shape in shapes)


def data_faults(document: Document) -> Iterator[Problem]:
    """Find volumes of a task that stand in each other's way."""
    given = document.data.get("data")
    entries = [
        (index, entry["name"], entry["path"])
        for index, entry in enumerate(given if isinstance(given, list) else ())
        if isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in ("name", "path"))
    ]
    for (_, name, path), (index, other, place) in combinations(entries, 2):
        where = (str(document.path), document.line(("data", index)))
        if not path_fault(path) and not path_fault(place) and overlap(path, place):
            yield Problem(*where, f"`data[{index}].path`: `{place}` and `{path}` of `{name}` lie in each other")
        if name != other and variable_of(name) == variable_of(other):
            yield Problem(*where, f"`data[{index}].name`: `{other}` is too much like `{name}`; rename one of them")


def binding_faults(given: Mapping[str, Any], places: Mapping[str, tuple[str, int]]) -> Iterator[Problem]:
    """Find what is wrong with the bindings of all settings files together."""
    for name, binding in given.items():
        where = place_of(places, f"data/{name}")
        if fault := component_fault(name):
            yield Problem(*where, f"`data.{name}`: {fault}")
        elif binding and binding["path"] and not binding["identity"]:
            expected = "say which state of the data it is, in a text that you change with it, or `content`"
            yield Problem(*where, f"`data.{name}.identity` is missing; {expected}")
