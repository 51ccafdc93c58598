"""The shape of task.yaml, and its way into a `Task`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath
from typing import Annotated, Any, get_args

from pydantic import BeforeValidator, Field, WithJsonSchema

from benchrouter.spec import json_forms as forms
from benchrouter.spec import values
from benchrouter.spec.data_shape import DataShape, to_data
from benchrouter.spec.names import did_you_mean
from benchrouter.spec.problems import Problem
from benchrouter.spec.shapes import (
    AtLeastOne,
    Count,
    Images,
    Integer,
    Passed,
    Positive,
    Repeats,
    Scalar,
    Seconds,
    Shape,
    Size,
    Text,
    strings,
)
from benchrouter.spec.sidecar_shape import SidecarShape, to_sidecars
from benchrouter.spec.task import Network, Resources, Task
from benchrouter.spec.yamlfile import Document

_OUTPUT = "/app/results/"
_LEAST_MEMORY = 6 << 20


def _command(value: Any) -> Any:
    if isinstance(value, list):
        raise ValueError("expected one line or block of shell (it runs under /bin/sh -c)")
    return value


def _network(value: Any) -> Any:
    if value not in get_args(Network):
        raise ValueError("expected `host`, `none` or `bridge`" + did_you_mean(str(value), get_args(Network)))
    return value


def _result_file(value: Any) -> Any:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("expected the name of a file in the output directory")
    name = value.removeprefix(_OUTPUT)
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name:
        raise ValueError("expected a path inside the output directory, such as `result.json`")
    return str(path)


def _memory(value: Any) -> int:
    number = values.size(value)
    if number < _LEAST_MEMORY:
        raise ValueError("expected 6m or more, the least that Docker accepts")
    return number


Memory = Annotated[int, BeforeValidator(_memory), WithJsonSchema(forms.size(_LEAST_MEMORY))]


class ResourcesShape(Shape):
    """What the task may use."""

    memory: Memory | None = Field(default=None, description="Memory limit, e.g. 4g.")
    reserve: Memory | None = Field(default=None, description="Memory that must be free to start the task.")
    cpus: Positive | None = Field(default=None, description="CPUs, fractions allowed.")
    gpus: Count = Field(default=0, description="Number of GPUs.")
    shm_size: Size | None = Field(default=None, description="Size of /dev/shm.")
    pids: AtLeastOne | None = Field(default=None, description="Most processes at once.")


class ResultMapping(Shape):
    """Where the score stands in the result file."""

    overall: Text = Field(
        default="overall", description="Key of the score: a literal key, else a dotted path."
    )


class TaskShape(Shape):
    """A task.yaml."""

    as_written = (("name",), ("command",), ("docker_images", "*"), ("sidecars", "*", "ports", "*"))

    name: Text = Field(description="Display name; the directory's name is what counts.")
    command: Annotated[Text, BeforeValidator(_command)] = Field(description="Shell command to run.")
    description: Scalar = Field(default="", description="One line for people.")
    timeout: Seconds = Field(default=7200.0, description="Seconds, or a duration such as 90m.")
    result_file: Annotated[str, BeforeValidator(_result_file), WithJsonSchema(forms.RESULT_FILE)] = Field(
        default="result.json"
    )
    result_mapping: ResultMapping = Field(default_factory=ResultMapping)
    extra_env: dict[str, Scalar] = Field(
        default_factory=dict,
        description="Environment variables of the task.",
        json_schema_extra=forms.by_name(forms.VARIABLE),
    )
    seed: Integer | None = None
    docker: bool = Field(default=False, description="The task needs a Docker daemon of its own.")
    docker_images: Images = Field(default_factory=list, description="Images to preload into that daemon.")
    sidecars: list[SidecarShape] = Field(
        default_factory=list, description="Services beside the task, in the form of Compose."
    )
    resources: ResourcesShape = Field(default_factory=ResourcesShape)
    network: Annotated[Network, BeforeValidator(_network)] = "host"
    repeat: Repeats = Field(default=1, description="How many times the task is run.")
    pass_env: Passed = Field(
        default_factory=list, description="Variables of the caller to pass on, by name."
    )
    data: list[DataShape] = Field(default_factory=list, description="Directories from outside, by name.")


def belongs_elsewhere(problem: Problem) -> Problem:
    """Say of a key of benchmark.yaml where it belongs."""
    if "unknown key `environment`" not in problem.message:
        return problem
    where = "which environment a task runs in stands in benchmark.yaml, at the task"
    return replace(problem, message=f"unknown key `environment` is ignored; {where}")


def to_task(document: Document, shape: TaskShape) -> Task:
    """Make the frozen task."""
    return Task(
        title=shape.name,
        command=shape.command,
        description=document.text(("description",)) or "",
        timeout=shape.timeout,
        result_file=shape.result_file,
        result_key=shape.result_mapping.overall,
        extra_env=strings(document, ("extra_env",), shape.extra_env),
        seed=shape.seed,
        docker=shape.docker,
        docker_images=tuple(shape.docker_images),
        sidecars=to_sidecars(document, shape.sidecars),
        resources=Resources(**shape.resources.model_dump()),
        network=shape.network,
        repeat=shape.repeat,
        pass_env=tuple(dict.fromkeys(shape.pass_env)),
        data=to_data(shape.data),
    )
