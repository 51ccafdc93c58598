"""What the three YAML files have in common when they are checked; imported only when a file is parsed."""

from __future__ import annotations

import re
import types
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, WithJsonSchema, model_validator

from benchrouter.spec import json_forms as forms
from benchrouter.spec import values
from benchrouter.spec.names import component_fault, did_you_mean, variable_fault
from benchrouter.spec.problems import Problem
from benchrouter.spec.yamlfile import Document, KeyPath

_IMAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]*(@[A-Za-z0-9]+:[0-9a-fA-F]+)?")


class Shape(BaseModel):
    """A mapping of known keys; a key without a value counts as not given."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    as_written: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Places whose scalars are text however YAML reads them (`true`, `001`, `22:22`); `*` is any list position."""

    @model_validator(mode="before")
    @classmethod
    def _without_empty(cls, data: Any) -> Any:
        return {k: v for k, v in data.items() if v is not None} if isinstance(data, dict) else data


def _name(value: Any) -> str:
    text = _text(value)
    if fault := component_fault(text):
        raise ValueError(fault)
    return text


def _variable(value: Any) -> str:
    text = _text(value)
    if fault := variable_fault(text):
        raise ValueError(fault)
    return text


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("expected text" if value != "" else "expected text that is not empty")
    if "\0" in value:
        raise ValueError("expected text without NUL characters")
    return value


def _image(value: Any) -> str:
    text = _text(value)
    if not _IMAGE.fullmatch(text):
        raise ValueError("expected the name of an image, such as `postgres:15`")
    return text


def _scalar(value: Any) -> Any:
    if isinstance(value, list | dict):
        raise ValueError("expected text, a number or true/false")
    if isinstance(value, str) and "\0" in value:
        raise ValueError("expected text without NUL characters")
    return value


def as_list(value: Any) -> Any:
    """Let a single text stand for a list of one."""
    return [value] if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_text), WithJsonSchema(forms.TEXT)]
Name = Annotated[str, BeforeValidator(_name), WithJsonSchema(forms.NAME)]
Image = Annotated[str, BeforeValidator(_image), WithJsonSchema(forms.IMAGE)]
Variable = Annotated[str, BeforeValidator(_variable), WithJsonSchema(forms.VARIABLE)]
Scalar = Annotated[Any, BeforeValidator(_scalar, json_schema_input_type=str | int | float | bool | None)]
Texts = Annotated[list[Text], BeforeValidator(as_list), WithJsonSchema(forms.one_or_more(forms.TEXT))]
Images = Annotated[list[Image], BeforeValidator(as_list), WithJsonSchema(forms.one_or_more(forms.IMAGE))]
Variables = Annotated[list[Variable], BeforeValidator(as_list), WithJsonSchema(forms.one_or_more(forms.VARIABLE))]
Passed = Annotated[list[Variable], BeforeValidator(as_list), WithJsonSchema(forms.one_or_more(forms.PASSED))]
Seconds = Annotated[float, BeforeValidator(values.seconds), WithJsonSchema(forms.SECONDS)]
Size = Annotated[int, BeforeValidator(values.size), WithJsonSchema(forms.SIZE)]
Positive = Annotated[float, BeforeValidator(values.positive), WithJsonSchema(forms.POSITIVE)]
Count = Annotated[int, BeforeValidator(lambda value: values.whole(value, 0)), WithJsonSchema(forms.whole(0))]
AtLeastOne = Annotated[int, BeforeValidator(lambda value: values.whole(value, 1)), WithJsonSchema(forms.whole(1))]
Repeats = Annotated[
    int,
    BeforeValidator(lambda value: values.whole(value, 1, values.MOST_REPEATS)),
    WithJsonSchema(forms.whole(1, values.MOST_REPEATS)),
]
Integer = Annotated[
    int,
    BeforeValidator(lambda value: values.whole(value, -(1 << 53))),
    WithJsonSchema(forms.whole(-(1 << 53))),
]

_S = TypeVar("_S", bound=Shape)
_EXPECTED = {
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
    "string_type": "expected text",
    "list_type": "expected a list",
    "dict_type": "expected a mapping",
    "model_type": "expected a mapping",
    "mapping_type": "expected a mapping",
}


def check(document: Document, shape: type[_S]) -> tuple[_S | None, list[Problem]]:
    """Check a document against a shape: the shape (None when there are errors) and all problems."""
    problems: list[Problem] = []
    data = document.data
    for pattern in shape.as_written:
        data = _as_written(document, data, (), pattern)
    try:
        return shape.model_validate(data), problems
    except ValidationError as first:
        unknown = [e["loc"] for e in first.errors() if e["type"] == "extra_forbidden"]
        problems = [_problem(document, shape, error) for error in first.errors()]
    if any(not problem.warning for problem in problems):
        return None, problems
    for path in unknown:
        data = _without(data, path)
    return shape.model_validate(data), problems


def strings(document: Document, path: KeyPath, given: Mapping[str, Any]) -> dict[str, str]:
    """Give scalars as their author wrote them: `1.10` stays `1.10`, `yes` stays `yes`."""
    return {key: document.text((*path, key)) or "" for key in given}


def _as_written(document: Document, value: Any, path: KeyPath, pattern: tuple[str, ...]) -> Any:
    """Copy data with the scalars at a place replaced by their text; nothing stays nothing."""
    if not pattern:
        return value if value is None else document.written.get(path, value)
    head, rest = pattern[0], pattern[1:]
    if head == "*" and isinstance(value, list):
        return [_as_written(document, item, (*path, i), rest) for i, item in enumerate(value)]
    if isinstance(value, dict) and head in value:
        return {**value, head: _as_written(document, value[head], (*path, head), rest)}
    return value


def show(value: object) -> str:
    """Show a found value in a message, short, in YAML's words."""
    if isinstance(value, dict):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "nothing"}[value]
    # An address may carry a password: it is what was found, but nobody's to see.
    text = re.sub(r"://[^/@\s]*@", "://***@", repr(value) if isinstance(value, str) else str(value))
    return text if len(text) <= 60 else text[:57] + "..."


def _problem(document: Document, shape: type[Shape], error: Any) -> Problem:
    loc: KeyPath = tuple(error["loc"])
    line, where = document.line(loc), dotted(loc)
    if error["type"] == "extra_forbidden":
        hint = did_you_mean(str(loc[-1]), fields_at(shape, loc[:-1]))
        return Problem(str(document.path), line, f"unknown key `{where}` is ignored{hint}", warning=True)
    if error["type"] == "missing":
        return Problem(str(document.path), document.line(loc[:-1]) or 1, f"`{where}` is missing")
    expected = _EXPECTED.get(error["type"]) or error["msg"].removeprefix("Value error, ")
    return Problem(str(document.path), line, f"`{where}`: found {show(error['input'])}, {expected}")


def dotted(path: KeyPath) -> str:
    """Write a path as people do: `tasks[2].name`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def fields_at(shape: Any, path: KeyPath) -> list[str]:
    """List the keys that are known at a place inside a shape."""
    for part in path:
        shape = _plain(shape)
        if isinstance(shape, type) and issubclass(shape, Shape):
            shape = shape.model_fields[str(part)].annotation if part in shape.model_fields else None
        else:
            shape = (get_args(shape) or (None,))[-1]
    shape = _plain(shape)
    return list(shape.model_fields) if isinstance(shape, type) and issubclass(shape, Shape) else []


def _plain(annotation: Any) -> Any:
    """Take `Annotated` and `| None` away from a type."""
    while get_origin(annotation) in (Annotated, Union, types.UnionType):
        annotation = next(arg for arg in get_args(annotation) if arg is not type(None))
    return annotation


def _without(data: Any, path: KeyPath) -> Any:
    """Copy data without the value at a path."""
    head, rest = path[0], path[1:]
    if isinstance(data, dict):
        return {k: _without(v, rest) if k == head else v for k, v in data.items() if rest or k != head}
    return [_without(v, rest) if i == head else v for i, v in enumerate(data)]
