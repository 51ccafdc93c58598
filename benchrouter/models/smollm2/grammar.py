"""From JSON schemas to grammars (GBNF) that let the model write nothing else (pure).

Kept short on purpose: one blank after `:` and `,`, required properties before optional ones, no limits on lengths.
What a schema says beyond types, properties, items, enum, const, unions and references is not held.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

OPENING, CLOSING = "<tool_call>[", "]</tool_call>"
MOST_CALLS = 8
_DEEPEST = 32

_TERMINALS = {
    "string": r'"\"" ([^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""',
    "integer": '"-"? ("0" | [1-9] [0-9]{0,15})',
    "number": 'integer ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,3})?',
    "boolean": '"true" | "false"',
    "null": '"null"',
    "object": '"{" (string ": " value (", " string ": " value)*)? "}"',
    "array": '"[" (value (", " value)*)? "]"',
    "value": "object | array | string | number | boolean | null",
}


def calls_grammar(functions: Sequence[Mapping[str, Any]], most: int = MOST_CALLS) -> str:
    """Allow one to `most` calls of these functions (`name`, `parameters`: a JSON schema) between the marks."""
    grammar = _Grammar({})
    calls = []
    for function in functions:
        schema = function.get("parameters") or {"type": "object", "properties": {}}
        arguments = _Grammar(grammar.rules, schema).rule(schema)
        beginning = '{"name": ' + _json(function["name"]) + ', "arguments": '
        calls.append(f'{_literal(beginning)} {arguments} "}}"')
    grammar.rules["call"] = " | ".join(calls)
    more = f' (", " call){{0,{most - 1}}}' if most > 1 else ""
    return grammar.text(f"{_literal(OPENING)} call{more} {_literal(CLOSING)}")


def schema_grammar(schema: Mapping[str, Any]) -> str:
    """Allow one JSON value that follows a schema."""
    grammar = _Grammar({}, schema)
    return grammar.text(grammar.rule(schema))


class _Grammar:
    """Rules by name; `root` is the schema that references are relative to."""

    def __init__(self, rules: dict[str, str], root: Mapping[str, Any] | None = None) -> None:
        self.rules = rules
        self._root = root or {}
        self._references: dict[str, str] = {}

    def text(self, root: str) -> str:
        rules = {"root": root, **self.rules, **_TERMINALS}
        return "\n".join(f"{name} ::= {body}" for name, body in rules.items())

    def rule(self, schema: Any, depth: int = 0) -> str:
        """Name the rule of a schema; what cannot be understood is any value."""
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return "value"
        if isinstance(schema.get("$ref"), str):
            return self._reference(schema["$ref"], depth)
        if "const" in schema or isinstance(schema.get("enum"), list):
            allowed = [schema["const"]] if "const" in schema else schema["enum"]
            return self._new(" | ".join(_literal(_json(value)) for value in allowed)) if allowed else "value"
        for union in ("anyOf", "oneOf", "allOf"):
            if isinstance(schema.get(union), list) and schema[union]:
                several = schema[union][:1] if union == "allOf" else schema[union]
                return self._new(" | ".join(self.rule(each, depth + 1) for each in several))
        return self._typed(schema, depth)

    def _typed(self, schema: Mapping[str, Any], depth: int) -> str:
        kind = schema.get("type", "object" if "properties" in schema else None)
        if isinstance(kind, list) and kind:
            return self._new(" | ".join(self._typed({**schema, "type": each}, depth) for each in kind))
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array" and schema.get("items"):
            item = self.rule(schema["items"], depth + 1)
            return self._new(f'"[" ({item} (", " {item})*)? "]"')
        return kind if isinstance(kind, str) and kind in _TERMINALS else "value"

    def _object(self, schema: Mapping[str, Any], depth: int) -> str:
        properties = schema.get("properties")
        if not isinstance(properties, Mapping) or not properties:
            free = schema.get("additionalProperties")
            value = self.rule(free, depth + 1) if isinstance(free, Mapping) and free else "value"
            if isinstance(properties, Mapping) and free in (None, False):
                return self._new('"{}"')
            return self._new(f'"{{" (string ": " {value} (", " string ": " {value})*)? "}}"')
        required = schema.get("required") or ()
        pairs = {
            name: self._new(f"{_literal(_json(name) + ': ')} {self.rule(each, depth + 1)}")
            for name, each in properties.items()
        }
        needed = [pair for name, pair in pairs.items() if name in required]
        optional = [pair for name, pair in pairs.items() if name not in required]
        return self._new(f'"{{" {_members(needed, optional)} "}}"')

    def _reference(self, reference: str, depth: int) -> str:
        if reference in self._references:
            return self._references[reference]
        found: Any = self._root
        for part in reference.removeprefix("#").strip("/").split("/") if reference != "#" else ():
            key = part.replace("~1", "/").replace("~0", "~")
            found = found.get(key) if isinstance(found, Mapping) else None
        name = self._references[reference] = self._new("value")  # named first: it may refer to itself
        self.rules[name] = self.rule(found, depth + 1)
        return name

    def _new(self, body: str) -> str:
        name = f"r{len(self.rules)}"
        self.rules[name] = body
        return name


def _members(needed: Sequence[str], optional: Sequence[str]) -> str:
    """Give the members of an object: all needed ones, then any of the optional ones in their order."""
    if needed:
        return ' ", " '.join(needed) + "".join(f' (", " {pair})?' for pair in optional)
    chains = [
        first + "".join(f' (", " {pair})?' for pair in optional[at + 1 :]) for at, first in enumerate(optional)
    ]
    return f"({' | '.join(chains)})?"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f")
