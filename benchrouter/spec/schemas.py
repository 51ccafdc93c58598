"""JSON Schemas of the YAML files, from the shapes that check them: for editors, which complete and check by them.

`python -m benchrouter.spec.schemas DIRECTORY` writes them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchrouter.spec import json_forms as forms
from benchrouter.spec.benchmark_shape import BenchmarkShape
from benchrouter.spec.gate_shape import PolicyShape
from benchrouter.spec.settings_shape import SettingsShape
from benchrouter.spec.shapes import Shape
from benchrouter.spec.task_shape import TaskShape

SHAPES: dict[str, type[Shape]] = {
    "benchmark.schema.json": BenchmarkShape,
    "task.schema.json": TaskShape,
    "benchrouter.schema.json": SettingsShape,
    "gate.schema.json": PolicyShape,
}
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_AS_TEXT = {"type": ["string", "number", "boolean"]}


def schema_texts() -> dict[str, str]:
    """Give the text of each schema, by file name."""
    return {name: json.dumps(_schema(shape), indent=2) + "\n" for name, shape in SHAPES.items()}


def write_schemas(directory: Path) -> list[Path]:
    """Write the schemas into a directory."""
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in schema_texts().items():
        path = directory / name
        path.write_text(text, "ascii")
        written.append(path)
    return written


def _schema(shape: type[Shape]) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(json.dumps(shape.model_json_schema(mode="validation")))  # nothing in it is shared
    for path in shape.as_written:
        place = _at(made, made, path)
        for choice in place.get("anyOf", [place]):
            if choice.get("type") == "string":
                choice |= _AS_TEXT | ({"minimum": 0} if choice.get("pattern") == forms.NAME["pattern"] else {})
    for mapping in _mappings(made):
        _let_be_empty(mapping)
    return {"$schema": _DIALECT, **made}


def _at(schema: dict[str, Any], root: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """Find the schema of a place; `*` is any position of a list."""
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if not path:
        return schema
    head, rest = path[0], path[1:]
    choices = [schema, *schema.get("anyOf", ())]
    found: Any = next(each for each in choices if ("items" if head == "*" else "properties") in each)
    return _at(found["items"] if head == "*" else found["properties"][head], root, rest)


def _mappings(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            yield schema
        for value in schema.values():
            yield from _mappings(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _mappings(value)


def _let_be_empty(mapping: dict[str, Any]) -> None:
    """Let a key that may be left out stand without a value, too: that is the same."""
    required = mapping.get("required", ())
    for name, schema in mapping["properties"].items():
        if name in required or {"type": "null"} in schema.get("anyOf", ()):
            continue
        outside = {key: schema.pop(key) for key in ("title", "description", "default") if key in schema}
        mapping["properties"][name] = {**outside, "anyOf": [schema, {"type": "null"}]}


if __name__ == "__main__":
    print(*write_schemas(Path(sys.argv[1])), sep="\n")
