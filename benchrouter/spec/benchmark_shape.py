"""The shape of benchmark.yaml, and its way into a `Benchmark`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from benchrouter.spec.benchmark import Benchmark, EnvironmentOptions, TaskEntry
from benchrouter.spec.names import component_fault, did_you_mean
from benchrouter.spec.problems import Problem
from benchrouter.spec.shapes import Name, Scalar, Shape, Text, strings
from benchrouter.spec.yamlfile import Document


def _tasks(value: Any) -> Any:
    if not isinstance(value, list) or not value:
        raise ValueError("expected a list of at least one task")
    return value


def _aggregate(value: Any) -> Any:
    if value != "mean":
        raise ValueError("expected `mean`")
    return value


class TaskEntryShape(Shape):
    """One task of a benchmark."""

    name: Name = Field(description="Name of the task's sub-directory.")
    environment: Name | None = Field(default=None, description="Default: the benchmark's name.")


class EnvironmentShape(Shape):
    """How an environment's image is built."""

    build_args: dict[str, Scalar] = Field(default_factory=dict, description="Values for ARG instructions.")
    platform: Text | None = Field(default=None, description="Such as linux/amd64.")


class BenchmarkShape(Shape):
    """A benchmark.yaml."""

    as_written = (("name",), ("tasks", "*", "name"), ("tasks", "*", "environment"))

    name: Name
    description: Scalar = Field(default="", description="One line for people.")
    version: Scalar = ""
    tasks: Annotated[list[TaskEntryShape], BeforeValidator(_tasks)]
    environments: dict[str, EnvironmentShape | None] = Field(default_factory=dict)
    aggregate: Annotated[str, BeforeValidator(_aggregate)] = "mean"


def faults(document: Document) -> list[Problem]:
    """Find what single values do not show: tasks listed twice, environments with impossible names."""
    problems: list[Problem] = []
    seen: dict[str, int | None] = {}
    tasks, environments = document.data.get("tasks"), document.data.get("environments")
    for index, entry in enumerate(tasks if isinstance(tasks, list) else []):
        name = document.text(("tasks", index, "name")) if isinstance(entry, dict) else None
        line = document.line(("tasks", index, "name"))
        if name and seen.setdefault(name, line) != line:
            message = f"task `{name}` is listed twice, first on line {seen[name]}"
            problems.append(Problem(str(document.path), line, message))
    for name in environments if isinstance(environments, dict) else []:
        if fault := component_fault(name):
            message = f"`environments.{name}`: {fault}"
            problems.append(Problem(str(document.path), document.line(("environments", name)), message))
    return problems


def to_benchmark(document: Document, shape: BenchmarkShape, root: Path, problems: list[Problem]) -> Benchmark:
    """Make the frozen benchmark; add what only the whole file shows to `problems`."""
    entries = {
        task.name: TaskEntry(
            task.name, task.environment or shape.name, document.line(("tasks", index, "name")) or 1
        )
        for index, task in enumerate(shape.tasks)
    }
    used = {entry.environment for entry in entries.values()}
    for name in shape.environments:
        if name not in used and not (root / "environments" / name).is_dir():
            message = f"`environments.{name}`: no task uses an environment of that name"
            line = document.line(("environments", name)) or 1
            problems.append(
                Problem(str(document.path), line, message + did_you_mean(name, used), warning=True)
            )
    return Benchmark(
        name=shape.name,
        root=root,
        description=document.text(("description",)) or "",
        version=document.text(("version",)) or "",
        tasks=tuple(entries.values()),
        environments={
            name: EnvironmentOptions(
                strings(document, ("environments", name, "build_args"), options.build_args), options.platform
            )
            for name, options in shape.environments.items()
            if options is not None
        },
        aggregate=shape.aggregate,
    )
