"""The published JSON Schemas are those of the shapes, and accept what the loader accepts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from benchrouter.scores.gate.policy import load_policy
from benchrouter.spec.benchmark_shape import BenchmarkShape
from benchrouter.spec.gate_shape import PolicyShape
from benchrouter.spec.problems import SpecError
from benchrouter.spec.schemas import schema_texts
from benchrouter.spec.settings_shape import SettingsShape
from benchrouter.spec.shapes import Shape, check
from benchrouter.spec.sidecar_keys import REFUSED
from benchrouter.spec.task_shape import TaskShape
from benchrouter.spec.yamlfile import read_with_faults

PUBLISHED = Path("docs/schemas")


@pytest.mark.parametrize("name", sorted(schema_texts()))
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


@pytest.mark.parametrize("key", sorted(REFUSED))
def test_an_editor_is_told_of_keys_that_a_sidecar_has_not(key: str) -> None:
    """As by the loader: one that says nothing is passed over."""
    task: dict[str, Any] = {"name": "n", "command": "c", "sidecars": [{"name": "s", "image": "i", key: ["x"]}]}
    assert list(_validator("task.schema.json").iter_errors(task))
    task["sidecars"][0][key] = None
    assert not list(_validator("task.schema.json").iter_errors(task))


_TASK = "name: n\ncommand: c\n"
_TASKS = "tasks: [{name: t}]\n"
_SIDECAR = f"{_TASK}sidecars:\n- name: s\n  image: i\n"
_SHAPES: dict[str, tuple[str, type[Shape]]] = {
    "task": ("task.schema.json", TaskShape),
    "benchmark": ("benchmark.schema.json", BenchmarkShape),
    "settings": ("benchrouter.schema.json", SettingsShape),
    "gate": ("gate.schema.json", PolicyShape),
}


def _opinions(tmp_path: Path, kind: str, text: str) -> tuple[bool, bool]:
    """Tell whether the schema and the loader take a file."""
    name, shape = _SHAPES[kind]
    file = tmp_path / "file.yaml"
    file.write_text(text)
    document = read_with_faults(file)
    return not list(_validator(name).iter_errors(yaml.safe_load(text))), not check(document, shape)[1]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *(
            ("task", _TASK + line)
            for line in (
                "repeat: -1", "repeat: 0", "repeat: 10001", "repeat: '0'", "repeat: 1.5", "repeat: true",
                "timeout: -5", "timeout: 0", "timeout: '0s'", "timeout: '15 lightyears'", "timeout: 32000000",
                "seed: 1.5", "seed: many", "result_file: ''", "result_file: ../x", "result_file: /etc/x",
                "docker_images: ['']", "docker_images: 'a b'", "pass_env: [1A]", "pass_env: ['']",
                "resources: {memory: 1}", "resources: {memory: lots}", "resources: {cpus: 0}", "resources: {gpus: -1}",
                "resources: {shm_size: -1}", "resources: {pids: 0}", "result_mapping: {overall: ''}",
                "data: [{name: a/b, path: /d}]", "data: [{name: a, path: d}]", "data: [{name: a, path: /d/../..}]",
            )
        ),
        ("task", "name: n\ncommand: ''\n"),
        ("task", "name: n\ncommand: '  '\n"),
        ("task", "name: ''\ncommand: c\n"),
        ("task", f"{_SIDECAR}  healthcheck: {{interval: -1}}\n"),
        ("task", f"{_SIDECAR}  healthcheck: {{timeout: soon}}\n"),
        ("task", f"{_SIDECAR}  healthcheck: {{retries: -1}}\n"),
        ("task", f"{_SIDECAR}  post_start: ['']\n"),
        ("task", f"{_SIDECAR}  ports: 80\n"),
        ("task", f"{_TASK}sidecars:\n- {{name: a/b, image: i}}\n"),
        ("benchmark", f"name: ''\n{_TASKS}"),
        ("benchmark", f"name: a/b\n{_TASKS}"),
        ("benchmark", f"name: {'a' * 101}\n{_TASKS}"),
        ("benchmark", "name: b\ntasks: []\n"),
        ("benchmark", "name: b\ntasks: [{name: t, environment: -e}]\n"),
        ("benchmark", f"name: b\n{_TASKS}environments: {{e: {{supplied: /x}}}}\n"),
        ("benchmark", f"name: b\n{_TASKS}environments: {{e: {{supplied: [a/../../x]}}}}\n"),
        ("benchmark", f"name: b\n{_TASKS}environments: {{e: {{platform: ''}}}}\n"),
        ("benchmark", f"name: b\n{_TASKS}obtain: {{x: ''}}\n"),
        ("gate", "gates: []"),
        ("gate", "gates: [{minimum: 0.5}]"),
        ("gate", "gates: [{benchmark: ''}]"),
        *(
            ("gate", f"gates: [{{benchmark: b, {line}}}]")
            for line in ("minimum: 80", "minimum: '0.5'", "coverage: -1", "maximum_drop: true", "minimun: 0.5",
                         "baseline: x, maximum_drop: 0, significance: 0")
        ),
        ("settings", "groups: {g: [a/b/c]}"),
        ("settings", "models: {m: {endpoint: ftp://x}}"),
        ("settings", "models: {m: {api_key_env: MY-KEY}}"),
        ("settings", "models: {m: {max_concurrency: 0}}"),
        ("settings", "cache: {max_size: 0}"),
        ("settings", "site: {networks: 10.0.0.0/30}"),
        ("settings", "site: {build_timeout: -1}"),
        ("settings", "site: {engine: ''}"),
        ("settings", "site: {limits: {keep_failed: -1}}"),
        ("settings", "site: {limits: {cpus: '0'}}"),
    ],
)  # fmt: skip
def test_what_the_loader_refuses_an_editor_marks(tmp_path: Path, kind: str, text: str) -> None:
    """The schemas took negative repeats, empty commands and durations in lightyears."""
    assert _opinions(tmp_path, kind, text) == (False, False)


@pytest.mark.parametrize(
    "line", ["maximum_drop: 0", "baseline: x", "maximum_drop: 0, baseline: null", "significance: 0.1"]
)
def test_what_belongs_together_is_marked_too(tmp_path: Path, line: str) -> None:
    """In a gate; the loader says so when the shape is read already."""
    file = tmp_path / "gate.yaml"
    file.write_text(f"gates: [{{benchmark: b, {line}}}]")
    with pytest.raises(SpecError, match="is there without a"):
        load_policy(file)
    assert list(_validator("gate.schema.json").iter_errors(yaml.safe_load(file.read_text())))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *(
            ("task", _TASK + line)
            for line in (
                "repeat: 10000", "repeat: '10000'", "repeat: ' 007 '", "repeat: 3.0", "repeat: '3.0'",
                "timeout: 1h30m", "timeout: 0.5", "timeout: '0.5'", "timeout: 1.5s10ms", "timeout: '+3'",
                "seed: -3", "seed: '-3'", "result_file: /app/results/a/b.json", "result_file: a..b",
                "resources: {memory: 6m, shm_size: 16 GiB, cpus: '0.5', gpus: '0', pids: 1}",
                "resources: {memory: 6291456, shm_size: 1.5g, cpus: 0.01, gpus: 0}", "docker_images: redis:7",
                "docker_images: 'a/b@sha256:0a'", "data: [{name: d.1, path: //d/x}]", "pass_env: _A1",
            )
        ),
        ("task", f"{_SIDECAR}  healthcheck: {{interval: 0, timeout: 1m30s, retries: 0, start_period: 0s}}\n"),
        ("benchmark", f"name: {'a' * 100}\n{_TASKS}environments: {{e: {{supplied: a..b/c}}}}\n"),
        ("settings", "site: {networks: 10.0.0.0/255.255.0.0, limits: {keep_failed: 0}}"),
        ("settings", "groups: {g: a/b}"),
        ("gate", "gates: [{benchmark: b, models: m, tasks: [t], variables: {A: 1}, coverage: 0, minimum: 1}]"),
        ("gate", "gates: [{benchmark: 1, baseline: 20260101, maximum_drop: 0.1, significance: 0.05}]"),
        ("gate", "gates: [{benchmark: b, baseline: null, maximum_drop: null, significance: null}]"),
    ],
)  # fmt: skip
def test_what_the_loader_takes_an_editor_does_not_mark(tmp_path: Path, kind: str, text: str) -> None:
    """Bounds and patterns are never narrower than what runs."""
    assert _opinions(tmp_path, kind, text) == (True, True)
