"""The shape of benchrouter.yaml and benchrouter.local.yaml, and its way into `Settings`."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from benchrouter.spec import json_forms as forms
from benchrouter.spec.data_shape import BindingShape, binding_faults
from benchrouter.spec.problems import Problem, SpecError
from benchrouter.spec.reserved import passed
from benchrouter.spec.settings import CacheSettings, PlainSettings
from benchrouter.spec.shapes import (
    AtLeastOne,
    Passed,
    Scalar,
    Shape,
    Size,
    Text,
    Variable,
    as_list,
    check,
)
from benchrouter.spec.site_shape import SiteShape, Url
from benchrouter.spec.yamlfile import Document, read_with_faults

_KEYS = r"^([aA][pP][iI][_-]?[kK][eE][yY]|[aA][uU][tT][hH][oO][rR][iI][zZ][aA][tT][iI][oO][nN])$"
_ENTRY = re.compile(r"[^/\s]+(/[^/\s]+)?")


def _entry(value: Any) -> str:
    if not isinstance(value, str) or not _ENTRY.fullmatch(value):
        raise ValueError("expected `benchmark` or `benchmark/task`")
    return value


def _parameters(value: Any) -> Any:
    for name, given in value.items() if isinstance(value, dict) else []:
        if name.lower().replace("-", "_") in ("api_key", "apikey", "authorization"):
            raise ValueError("a key must not stand here; write `api_key_env: NAME_OF_A_VARIABLE`")
        if isinstance(given, float) and not math.isfinite(given):
            raise ValueError(f"`{name}` must be a finite number")
    return value


Entry = Annotated[str, BeforeValidator(_entry), WithJsonSchema(forms.ENTRY)]
Entries = Annotated[list[Entry], BeforeValidator(as_list), WithJsonSchema(forms.one_or_more(forms.ENTRY))]


class ModelShape(Shape):
    """A model and how it is reached."""

    endpoint: Url | None = Field(default=None, description="OpenAI-compatible base URL, ends in /v1.")
    id: Text | None = Field(default=None, description="What the endpoint calls the model; default: its name.")
    api_key_env: Variable | None = Field(default=None, description="Variable that holds the key.")
    parameters: Annotated[dict[str, Any], BeforeValidator(_parameters)] = Field(
        default_factory=dict,
        description="Sampling parameters, part of the key.",
        json_schema_extra=forms.by_name({"not": {"pattern": _KEYS}}),
    )
    revision: Scalar | None = Field(default=None, description="Changes when the model behind the name does.")
    max_concurrency: AtLeastOne | None = Field(default=None, description="Most jobs at once.")


class CacheShape(Shape):
    """The image archive below `cache/`."""

    max_size: Size = CacheSettings().max_size
    images: bool | None = Field(default=None, description="Keep every image, not only those to preload.")


class SettingsShape(Shape):
    """A benchrouter.yaml or benchrouter.local.yaml."""

    groups: dict[str, Entries] = Field(default_factory=dict)
    models: dict[str, ModelShape | None] = Field(
        default_factory=dict, json_schema_extra=forms.by_name({"not": {"const": "demo"}})
    )
    pass_env: Passed = Field(default_factory=list)
    data: dict[str, BindingShape | None] = Field(
        default_factory=dict, description="Data volumes by name.", json_schema_extra=forms.by_name(forms.NAME)
    )
    cache: CacheShape = Field(default_factory=CacheShape)
    site: SiteShape = Field(default_factory=SiteShape)


def read_settings(paths: list[Path]) -> tuple[PlainSettings, list[Problem]]:
    """Check each file by itself, then lay them over each other, later ones on top.

    With errors among the problems, only the groups are given, as far as they are sound.
    """
    problems: list[Problem] = []
    documents: list[Document] = []
    for path in paths:
        try:
            document = read_with_faults(path)
        except SpecError as error:
            problems += error.problems
            continue
        found = check(document, SettingsShape)[1]
        problems += [*document.problems, *(_key_hint(problem) for problem in found), *passed(document)]
        documents.append(document)
    data: dict[str, Any] = {}
    for document in documents:
        data = _laid_over(data, _texts_as_written(document))
    sound = all(problem.warning for problem in problems)
    shape = check(Document(paths[-1], data, {}, {}), SettingsShape)[0] if sound else None
    made, places = (shape or SettingsShape()).model_dump(), _places(documents)
    if shape is None:
        made["groups"] = _sound_groups(data.get("groups"))
    problems += binding_faults(made["data"], places)
    known = len(documents) == len(paths) and all(_tells_groups(document) for document in documents)
    return PlainSettings(made, places, known), problems


def _tells_groups(document: Document) -> bool:
    groups = document.data.get("groups")
    return (groups is None or isinstance(groups, dict)) and ("groups",) not in document.twice


def _sound_groups(given: Any) -> dict[str, list[str]]:
    """Keep what can be used of the groups, "" for the rest: faults of the benchmarks that they name show as well."""
    groups = given if isinstance(given, dict) else {}
    lists = {name: as_list(members) for name, members in groups.items()}
    return {
        name: [m if isinstance(m, str) and _ENTRY.fullmatch(m) else "" for m in members]
        if isinstance(members, list)
        else [""]
        for name, members in lists.items()
    }


def _places(documents: list[Document]) -> dict[str, tuple[str, int]]:
    return {
        "/".join(map(str, path)): (str(document.path), line)
        for document in documents
        for path, line in document.lines.items()
        if path[:1] in (("site",), ("groups",), ("models",), ("data",))
    }


def _texts_as_written(document: Document) -> dict[str, Any]:
    """Keep `revision: 1.10` as text, and what else is a text of the author's."""
    for section, key in (("models", "revision"), ("data", "identity")):
        members = document.data.get(section)
        for name, given in members.items() if isinstance(members, dict) else []:
            if isinstance(given, dict) and given.get(key) is not None:
                given[key] = document.text((section, name, key))
    return document.data


def _key_hint(problem: Problem) -> Problem:
    """A key written as a value is an error, not an unknown word."""
    if problem.warning and re.search(r"`models\..*\.(api_?key|key|token|password|secret)`", problem.message):
        message = "a key must not stand in this file; write `api_key_env: NAME_OF_A_VARIABLE`"
        return Problem(problem.where, problem.line, message)
    return problem


def _laid_over(below: Any, above: Any) -> Any:
    if not isinstance(below, dict) or not isinstance(above, dict):
        return below if above is None else above
    merged = dict(below)
    for key, value in above.items():
        merged[key] = _laid_over(merged[key], value) if key in merged else value
    return merged
