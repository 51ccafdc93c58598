"""The published JSON Schemas are those of the shapes, and accept what the loader accepts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from benchrouter.spec.schemas import schema_texts

PUBLISHED = Path("docs/schemas")


@pytest.mark.parametrize("name", ["benchmark.schema.json", "task.schema.json", "benchrouter.schema.json"])
def test_what_is_published_is_what_the_shapes_say(repository: Path, name: str) -> None:
    """`python -m benchrouter.spec.schemas docs/schemas` makes it so again."""
    assert (repository / PUBLISHED / name).read_text() == schema_texts()[name]


def _validator(name: str) -> Any:
    schema = json.loads(schema_texts()[name])
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_all_shipped_files_fit(repository: Path) -> None:
    """An editor finds no fault in what runs."""
    tasks, benchmarks = _validator("task.schema.json"), _validator("benchmark.schema.json")
    for path in sorted(repository.glob("benchmarks/*/*/task.yaml")):
        assert not list(tasks.iter_errors(yaml.safe_load(path.read_text()))), path
    for path in sorted(repository.glob("benchmarks/*/benchmark.yaml")):
        assert not list(benchmarks.iter_errors(yaml.safe_load(path.read_text()))), path
    settings = yaml.safe_load((repository / "benchrouter.yaml").read_text())
    assert not list(_validator("benchrouter.schema.json").iter_errors(settings))


@pytest.mark.parametrize(
    "text",
    [
        "{name: 1, command: run, timeout: 90m, repeat: '3', extra_env: {A: 1, B: yes}, resources: {memory: 4g}}",
        "{name: n, command: run, seed: null, docker_images: redis, pass_env: [HF_TOKEN], network: none, timeout: 0.5}",
        "{name: n, command: run, sidecars: [{name: d, image: i, ports: [5432], environment: ['A=b'], mem_limit: 1g}]}",
    ],
)
def test_every_way_to_write_a_value_fits(text: str) -> None:
    """Durations, sizes, lists of one, keys without a value, Compose's own keys."""
    assert not list(_validator("task.schema.json").iter_errors(yaml.safe_load(text)))


@pytest.mark.parametrize(
    "text", ["{name: n}", "{name: n, command: [a]}", "{name: n, command: c, network: hots}", "{name: n, comand: c}"]
)
def test_an_editor_is_told_of_faults(text: str) -> None:
    """What is missing, wrong or misspelt is marked."""
    assert list(_validator("task.schema.json").iter_errors(yaml.safe_load(text)))
