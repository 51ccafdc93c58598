"""The shape of benchmark.yaml, and its way into a `Benchmark`."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError, WithJsonSchema

from benchrouter.spec import json_forms as forms
from benchrouter.spec.aggregation import RULES, Aggregation, faults_of_weights, form_fault
from benchrouter.spec.benchmark import Benchmark, EnvironmentOptions, Hint, TaskEntry
from benchrouter.spec.inputs import is_there
from benchrouter.spec.names import component_fault, did_you_mean, variable_fault
from benchrouter.spec.problems import Problem
from benchrouter.spec.shapes import Name, Scalar, Shape, Text, as_list, strings
from benchrouter.spec.yamlfile import Document, KeyPath


def _tasks(value: Any) -> Any:
    if not isinstance(value, list) or not value:
        raise ValueError("expected a list of at least one task")
    return value


def _aggregate(value: Any) -> Any:
    if text := form_fault(value):
        raise ValueError(text)
    return value


def _aggregation(value: Any) -> Aggregation:
    """Make the rule; the default where its weights are faulty, which `faults` tells."""
    try:
        return Aggregation.from_json(value)
    except ValueError:
        return Aggregation()


def _supplied(value: Any) -> str:
    path = PurePosixPath(value) if isinstance(value, str) and value.strip() and "\0" not in value else None
    if path is None or path.is_absolute() or ".." in path.parts or not path.parts:
        raise ValueError("expected a path inside the environment's directory, such as `webarena-src`")
    return str(path)


_AGGREGATE = {
    "anyOf": [
        {"enum": [rule for rule in RULES if rule != "weighted"]},
        {
            "type": "object",
            "properties": {"weighted": {"type": "object", "additionalProperties": {"type": "number", "minimum": 0}}},
            "required": ["weighted"],
            "additionalProperties": False,
        },
    ]
}
Supplied = Annotated[str, BeforeValidator(_supplied), WithJsonSchema(forms.INSIDE)]


class TaskEntryShape(Shape):
    """One task of a benchmark."""

    name: Name = Field(description="Name of the task's sub-directory.")
    environment: Name | None = Field(default=None, description="Default: the benchmark's name.")


class EnvironmentShape(Shape):
    """How an environment's image is built."""

    build_args: dict[str, Scalar] = Field(
        default_factory=dict,
        description="Values for ARG instructions.",
        json_schema_extra=forms.by_name(forms.VARIABLE),
    )
    platform: Text | None = Field(default=None, description="Such as linux/amd64.")
    supplied: Annotated[
        list[Supplied], BeforeValidator(as_list), WithJsonSchema(forms.one_or_more(forms.INSIDE))
    ] = Field(default_factory=list, description="Paths that the user adds to the build context.")


class BenchmarkShape(Shape):
    """A benchmark.yaml."""

    as_written = (("name",), ("tasks", "*", "name"), ("tasks", "*", "environment"))

    name: Name
    description: Scalar = Field(default="", description="One line for people.")
    version: Scalar = ""
    tasks: Annotated[list[TaskEntryShape], BeforeValidator(_tasks)] = Field(json_schema_extra={"minItems": 1})
    environments: dict[str, EnvironmentShape | None] = Field(
        default_factory=dict, json_schema_extra=forms.by_name(forms.NAME)
    )
    aggregate: Annotated[Any, BeforeValidator(_aggregate), WithJsonSchema(_AGGREGATE)] = Field(
        default="mean", description="How the scores of the tasks become one."
    )
    obtain: dict[str, Text] = Field(default_factory=dict, description="How to get what is not here, by its name.")


def faults(document: Document) -> list[Problem]:
    """Find what single values do not show: tasks listed twice, impossible names of environments, odd weights."""
    problems: list[Problem] = []
    seen: dict[str, int | None] = {}
    tasks, environments = document.data.get("tasks"), document.data.get("environments")
    for index, entry in enumerate(tasks if isinstance(tasks, list) else []):
        name = document.text(("tasks", index, "name")) if isinstance(entry, dict) else None
        line = document.line(("tasks", index, "name"))
        if name and name in seen:
            message = f"task `{name}` is listed twice, first on line {seen[name]}"
            problems.append(document.problem(("tasks", index, "name"), message))
        elif name:
            seen[name] = line
    for name, options in environments.items() if isinstance(environments, dict) else ():
        if fault := component_fault(name):
            problems.append(document.problem(("environments", name), f"`environments.{name}`: {fault}"))
        arguments = options.get("build_args") if isinstance(options, dict) else None
        for argument in arguments if isinstance(arguments, dict) else ():
            if fault := variable_fault(argument):
                at: KeyPath = ("environments", name, "build_args", argument)
                problems.append(document.problem(at, f"`environments.{name}.build_args`: {fault}"))
    complete = isinstance(tasks, list) and len(seen) == len(tasks) and not any(map(component_fault, seen))
    return [*problems, *faults_of_weights(document, list(seen), complete=complete)]


def sound_part(document: Document, root: Path) -> Benchmark:
    """Make of a file with errors what can be made: its tasks with sound names, each with its environment if known."""
    name = _sound(document, document.data, ("name",))
    given = document.data.get("environments")
    options = {env: _options(document, env, each) for env, each in given.items()} if isinstance(given, dict) else {}
    entries: dict[str, TaskEntry] = {}
    tasks = document.data.get("tasks")
    complete = isinstance(tasks, list) and not any(path[0] == "tasks" for path in document.twice)
    for index, task in enumerate(tasks if isinstance(tasks, list) else ()):
        at: KeyPath = ("tasks", index)
        task_name = _sound(document, task, (*at, "name"))
        environment = name
        if isinstance(task, dict) and task.get("environment") is not None:
            environment = _sound(document, task, (*at, "environment"))
        if task_name:
            usable = environment if options.get(environment, True) else ""
            entries.setdefault(task_name, TaskEntry(task_name, usable, document.line((*at, "name")) or 1))
        complete = complete and bool(task_name)
    # Two files without a usable name are not two benchmarks of one name: a path is unlike any name.
    return Benchmark(
        name=name or str(root.absolute()),
        root=root,
        description="",
        version="",
        tasks=tuple(entries.values()),
        environments={k: v for k, v in options.items() if v},
        complete=complete,
    )


def _sound(document: Document, where: Any, path: KeyPath) -> str:
    """Give a name as written; "" when it is not there or cannot be one."""
    text = document.text(path) if isinstance(where, dict) else None
    return "" if not text or component_fault(text) else text


def _options(document: Document, name: str, given: Any) -> EnvironmentOptions | None:
    """Read an environment's options; None when they are faulty, so that nothing is derived from them."""
    try:
        shape = EnvironmentShape.model_validate(given or {})
    except ValidationError as error:
        if any(each["type"] != "extra_forbidden" for each in error.errors()):
            return None
        shape = EnvironmentShape.model_validate({k: v for k, v in given.items() if k in EnvironmentShape.model_fields})
    return _to_options(document, name, shape)


def _to_options(document: Document, name: str, shape: EnvironmentShape) -> EnvironmentOptions:
    arguments = strings(document, ("environments", name, "build_args"), shape.build_args)
    return EnvironmentOptions(arguments, shape.platform, tuple(dict.fromkeys(shape.supplied)))


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
        if name not in used and not is_there(root / "environments" / name / "Dockerfile"):
            message = f"`environments.{name}`: no task uses an environment of that name{did_you_mean(name, used)}"
            problems.append(document.problem(("environments", name), message, warning=True))
    return Benchmark(
        name=shape.name,
        root=root,
        description=document.text(("description",)) or "",
        version=document.text(("version",)) or "",
        tasks=tuple(entries.values()),
        environments={
            name: _to_options(document, name, options)
            for name, options in shape.environments.items()
            if options is not None
        },
        aggregate=_aggregation(shape.aggregate),
        obtain={
            name: Hint(" ".join(text.split()), document.line(("obtain", name)) or 1)
            for name, text in shape.obtain.items()
        },
    )
