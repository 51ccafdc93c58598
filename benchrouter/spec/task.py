"""task.yaml: one evaluation unit, as its author describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from benchrouter.spec.data import DataMount
from benchrouter.spec.mode import Mode, mode_of
from benchrouter.spec.problems import Problem, SpecError, refuse_errors

Network = Literal["host", "none", "bridge"]
_NO_SCORE = frozenset({"title", "description", "timeout", "resources", "repeat"})


@dataclass(frozen=True)
class Resources:
    """What a task may use: bytes, CPUs (fractions allowed), counts; None leaves it to the defaults."""

    memory: int | None = None
    reserve: int | None = None
    cpus: float | None = None
    gpus: int = 0
    shm_size: int | None = None
    pids: int | None = None


@dataclass(frozen=True)
class Task:
    """A task.

    `timeout` is in seconds, `result_key` is what `result_mapping.overall` names, `title` is for display,
    `sidecars` keep the form of Compose services; `pass_env` are names of variables, never values; `data` are
    directories from outside.
    """

    title: str
    command: str
    description: str = ""
    timeout: float = 7200.0
    result_file: str = "result.json"
    result_key: str = "overall"
    extra_env: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    docker: bool = False
    docker_images: tuple[str, ...] = ()
    sidecars: tuple[Mapping[str, Any], ...] = ()
    resources: Resources = Resources()
    network: Network = "host"
    repeat: int = 1
    pass_env: tuple[str, ...] = ()
    data: tuple[DataMount, ...] = ()

    @property
    def mode(self) -> Mode:
        """Tell in which mode the task is executed."""
        return mode_of(docker=self.docker, sidecars=bool(self.sidecars))

    def score_fields(self) -> dict[str, Any]:
        """Give what can change a score, as JSON; defaults are left out: new fields cost no rerun."""
        given = self.to_json()
        return {name: value for name, value in given.items() if name not in _NO_SCORE}

    def to_json(self) -> dict[str, Any]:
        """Give every field that is not at its default, as JSON."""
        data: dict[str, Any] = {"title": self.title, "command": self.command}
        for name, default in _DEFAULTS.items():
            value = getattr(self, name)
            if value == default:
                continue
            if isinstance(value, Resources):
                value = asdict(value)
            data[name] = [*map(_plain, value)] if isinstance(value, tuple) else value
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Task:
        """Rebuild a task from `to_json`; raise TypeError for something else."""
        given = dict(data)
        for name in ("docker_images", "sidecars", "pass_env"):
            if name in given:
                given[name] = tuple(given[name])
        if "data" in given:
            given["data"] = tuple(DataMount(**mount) for mount in given["data"])
        if "resources" in given:
            given["resources"] = Resources(**given["resources"])
        return cls(**given)


def _plain(value: Any) -> Any:
    return asdict(value) if isinstance(value, DataMount) else value


_DEFAULTS: dict[str, Any] = {
    f.name: getattr(Task("", ""), f.name) for f in fields(Task) if f.name not in ("title", "command")
}


def load_task(path: Path) -> tuple[Task, tuple[Problem, ...]]:
    """Read a task.yaml: the task and warnings; raise SpecError with all problems of the file."""
    from benchrouter.spec.shapes import check
    from benchrouter.spec.task_faults import faults
    from benchrouter.spec.task_shape import TaskShape, belongs_elsewhere, to_task
    from benchrouter.spec.yamlfile import read_with_faults

    document = read_with_faults(path)
    shape, problems = check(document, TaskShape)
    warnings = refuse_errors([*document.problems, *map(belongs_elsewhere, problems), *faults(document)])
    if shape is None:
        raise SpecError(warnings)
    return to_task(document, shape), warnings
