"""Grammars: what schemas allow can be written, and nothing else."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from benchrouter.models.smollm2.grammar import calls_grammar, schema_grammar

sys.path.insert(0, str(Path(__file__).parent))

from gbnf import follows


def allows(schema: dict[str, Any], value: Any) -> bool:
    return follows(schema_grammar(schema), json.dumps(value, ensure_ascii=False))


AREA = {
    "type": "object",
    "properties": {
        "base": {"type": "integer"},
        "unit": {"type": "string", "enum": ["cm", 'i"n', "ü"]},
        "height": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["base", "height"],
}


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        (AREA, {"base": 1, "height": -2.5e3}, {"base": 1}),
        (AREA, {"base": 1, "height": 2, "unit": 'i"n', "tags": ["a", 'b"\\\n']}, {"base": 1, "height": 2, "unit": "m"}),
        (AREA, {"base": 1, "height": 2, "tags": []}, {"base": 1, "height": 2, "tags": [1]}),
        ({"type": "object", "properties": {"a": {}, "b": {}, "c": {}}}, {"a": None, "c": {"x": [1]}}, {"c": 1, "a": 1}),
        ({"type": "object", "properties": {"a": {}, "b": {}}}, {}, {"z": 1}),
        ({"type": "object", "properties": {}}, {}, {"z": 1}),
        ({"type": "object"}, {"any": [True, {"thing": None}]}, [1]),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": 1, "b": 2}, {"a": "1"}),
        ({"type": ["string", "null"]}, None, 1),
        ({"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]}, [1, 2], "1"),
        ({"const": "only"}, "only", "other"),
        ({"enum": [1, "two", None]}, None, 2),
        ({}, {"a": [1, "x", False]}, None),
        ({"type": "boolean"}, True, "true"),
        ({"type": "tuple"}, [1, 2], None),
    ],
)
def test_a_schema_allows_what_it_says(schema: dict[str, Any], good: Any, bad: Any) -> None:
    assert allows(schema, good)
    assert bad is None or not allows(schema, bad)


def test_references_are_followed_also_in_circles() -> None:
    """As pydantic writes them."""
    node = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}},
        "required": ["name", "next"],
    }
    schema = {"$ref": "#/$defs/Node", "$defs": {"Node": node}}
    assert allows(schema, {"name": "a", "next": {"name": "b", "next": None}})
    assert not allows(schema, {"name": "a", "next": {"name": 1, "next": None}})


def test_a_reference_that_leads_nowhere_is_any_value() -> None:
    assert allows({"$ref": "#/$defs/none"}, [1])


def test_calls_name_a_function_and_its_arguments() -> None:
    """One call to eight, or just one; each with the arguments of its own function."""
    functions = [{"name": "area.of", "parameters": AREA}, {"name": "now"}]
    one = '<tool_call>[{"name": "area.of", "arguments": {"base": 1, "height": 2}}]</tool_call>'
    now = '{"name": "now", "arguments": {}}'
    assert follows(calls_grammar(functions), one)
    assert follows(calls_grammar(functions), f"<tool_call>[{', '.join([now] * 8)}]</tool_call>")
    for wrong in (
        "<tool_call>[]</tool_call>",
        "No.",
        one.replace("area.of", "areaXof"),
        one.replace("area.of", "now"),
        f"<tool_call>[{', '.join([now] * 9)}]</tool_call>",
    ):
        assert not follows(calls_grammar(functions), wrong), wrong
    assert not follows(calls_grammar(functions, 1), f"<tool_call>[{now}, {now}]</tool_call>")
    assert follows(calls_grammar(functions, 1), f"<tool_call>[{now}]</tool_call>")
