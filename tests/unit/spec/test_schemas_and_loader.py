"""Editors and the loader agree: every place of every file, with values that are right in some places and wrong in most.

What the loader refuses the schema marks, and nothing else; but for what only several values together can tell.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from benchrouter.scores.gate.policy import load_policy
from benchrouter.spec import benchmark_shape, task_faults
from benchrouter.spec.json_patterns import below, from_on
from benchrouter.spec.problems import Problem, SpecError
from benchrouter.spec.reserved import passed
from benchrouter.spec.schemas import SHAPES, schema_texts
from benchrouter.spec.settings_shape import read_settings
from benchrouter.spec.shapes import check
from benchrouter.spec.yamlfile import Document, read_with_faults

LEAST: dict[str, Any] = {
    "task.schema.json": {"name": "n", "command": "c", "docker": True},
    "benchmark.schema.json": {"name": "b", "tasks": [{"name": "t"}]},
    "benchrouter.schema.json": {},
    "gate.schema.json": {"gates": [{"benchmark": "b", "baseline": "x", "maximum_drop": 0}]},
}
MEMBERS = {"sidecars": {"name": "s", "image": "i"}, "data": {"name": "d", "path": "/d"}}
VALUES: tuple[Any, ...] = (
    True, -1, 0, 1, 1.5, 10**7, 1 << 61, "", " ", "x", "a/b", "../x", "/x", "/x/../y", ".x", "a b", "A=b", "80:80",
    [], [""], ["x"], [1], {}, {"a": 1}, "1h", "0s", "007", "6m", "5.9m", "6143k", "6291456", "6291455b", "0k",
    "20000000000g", "failed", "Aggregates", "x" * 101, "http://u:p@h/", "http://u:${P}@h/", "ftp://h",
    "10.0.0.0/16", "10.0.0.1/16", "10.64.0.0/9", "10.2.0.0/15", "256.0.0.0/8", "10.0.0.0/25", "BENCHROUTER_X",
)  # fmt: skip
FAULTS: dict[str, Callable[[Document], Iterable[Problem]]] = {
    "task.schema.json": task_faults.faults,
    "benchmark.schema.json": benchmark_shape.faults,
    "benchrouter.schema.json": passed,
}


def places(schema: dict[str, Any], root: dict[str, Any]) -> Iterator[tuple[str | int, ...]]:
    """Give the path of each value that a schema describes: `k` any key of a mapping, 0 any member of a list."""
    for choice in [schema, *schema.get("anyOf", ())]:
        if "$ref" in choice:
            choice = root["$defs"][choice["$ref"].rpartition("/")[2]]
            yield from places(choice, root)
            continue
        inner: list[tuple[str | int, Any]] = [*choice.get("properties", {}).items()]
        inner += [("k", choice["additionalProperties"])] if choice.get("additionalProperties") else []
        inner += [(0, choice["items"])] if choice.get("items") else []
        for name, value in inner:
            yield (name,)
            yield from ((name, *rest) for rest in places(value if isinstance(value, dict) else {}, root))


def together(path: tuple[str | int, ...]) -> bool:
    """Tell whether what is right at a place hangs on values elsewhere: on the names of other sidecars."""
    return "depends_on" in path


def put(document: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """Copy a document with a value at a place, and what it takes to get there."""
    made = copy.deepcopy(document)
    at = made
    for step, after in pairwise(path):
        if isinstance(step, int):
            at.extend([{}] if not at else [])
        elif step not in at:
            at[step] = ([copy.deepcopy(MEMBERS[step])] if step in MEMBERS else []) if after == 0 else {}
        at = at[step]
    if path[-1] == 0:
        at[:1] = [value]
    else:
        at[path[-1]] = value
    return made


def refused(name: str, file: Path, document: Document) -> bool:
    """Tell whether the loader finds a fault, a key that it does not know included."""
    if name == "gate.schema.json":
        try:
            load_policy(file)
        except SpecError:
            return True
        return False
    found = [*document.problems, *check(document, SHAPES[name])[1]]
    return bool(found) or any(not problem.warning for problem in FAULTS[name](document))


@pytest.mark.parametrize("name", LEAST)
def test_the_schema_and_the_loader_agree(tmp_path: Path, name: str) -> None:
    """Reserved names, sizes with a unit, host bits and passwords in addresses were the loader's alone to see."""
    root, file = json.loads(schema_texts()[name]), tmp_path / "file.yaml"
    validator = jsonschema.Draft202012Validator(root)
    found = []
    for path in dict.fromkeys(places(root, root)):
        for value in VALUES if not together(path) else ():
            given = put(LEAST[name], path, value)
            file.write_text(json.dumps(given))  # which is YAML, too
            marked, wrong = not validator.is_valid(given), refused(name, file, read_with_faults(file))
            if marked != wrong:
                found.append(f"{'.'.join(map(str, path))}: {value!r} is {'not ' * wrong}marked")
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("task.schema.json", {"extra_env": {"1A": "x"}}),
        ("task.schema.json", {"extra_env": {"A-B": "x"}}),
        ("benchmark.schema.json", {"environments": {"failed": {}}}),
        ("benchmark.schema.json", {"environments": {"a/b": None}}),
        ("benchmark.schema.json", {"environments": {"e": {"build_args": {"A.B": 1}}}}),
        ("benchrouter.schema.json", {"data": {"../d": None}}),
        ("benchrouter.schema.json", {"models": {"m": {"parameters": {"API-Key": "k"}}}}),
    ],
)
def test_names_that_are_keys_are_marked_too(tmp_path: Path, name: str, given: dict[str, Any]) -> None:
    file = tmp_path / "file.yaml"
    file.write_text(json.dumps({**LEAST[name], **given}))
    found = read_settings([file])[1] if name == "benchrouter.schema.json" else []
    assert found or refused(name, file, read_with_faults(file))
    validator = jsonschema.Draft202012Validator(json.loads(schema_texts()[name]))
    assert not validator.is_valid({**LEAST[name], **given})


@pytest.mark.parametrize("length", range(25))
def test_ranges_have_no_host_bits(length: int) -> None:
    """What Python's own reader of ranges says, for every width."""
    validator = jsonschema.Draft202012Validator(json.loads(schema_texts()["benchrouter.schema.json"]))
    chance = random.Random(length)
    for _ in range(40):
        number = chance.getrandbits(32) >> (zeros := chance.choice((0, 32 - length, 33 - length))) << zeros
        text = f"{IPv4Address(number & 0xFFFFFFFF)}/{length}"
        try:
            good = bool(IPv4Network(text))
        except ValueError:
            good = False
        assert validator.is_valid({"site": {"networks": text}}) is good, text


@pytest.mark.parametrize("number", [1, 6, 10, 99, 100, 1024, 6144, 6291456, 1 << 40])
def test_digits_of_numbers_below_and_from_on(number: int) -> None:
    for n in {0, 1, number // 2, number - 1, number, number + 1, 2 * number, 10 * number}:
        for digits in (str(n), f"00{n}"):
            assert bool(re.fullmatch(below(number), digits)) is (n < number)
            assert bool(re.fullmatch(from_on(number), digits)) is (n >= number)
