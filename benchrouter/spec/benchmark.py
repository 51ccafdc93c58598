"""benchmark.yaml: which tasks a benchmark has, and which environment each runs in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchrouter.spec.aggregation import Aggregation
from benchrouter.spec.inputs import is_there
from benchrouter.spec.instead import near_miss
from benchrouter.spec.names import did_you_mean
from benchrouter.spec.problems import Problem, refuse_errors

FILE = "benchmark.yaml"
TASK_FILE = "task.yaml"


@dataclass(frozen=True)
class TaskEntry:
    """One task as benchmark.yaml lists it; `line` is where, `environment` "" where the file does not say it rightly."""

    name: str
    environment: str
    line: int


@dataclass(frozen=True)
class EnvironmentOptions:
    """How an environment's image is built, beyond its Dockerfile; the user adds the `supplied` paths to its context."""

    build_args: Mapping[str, str] = field(default_factory=dict)
    platform: str | None = None
    supplied: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hint:
    """One line that says how to get what a benchmark does not bring, and the line of benchmark.yaml it stands on."""

    text: str
    line: int


@dataclass(frozen=True)
class Benchmark:
    """A benchmark directory; `aggregate` is the rule that makes one score of its tasks'.

    `complete` is False where a faulty benchmark.yaml may list more tasks than could be told.
    """

    name: str
    root: Path
    description: str
    version: str
    tasks: tuple[TaskEntry, ...]
    environments: Mapping[str, EnvironmentOptions] = field(default_factory=dict)
    aggregate: Aggregation = field(default_factory=Aggregation)
    obtain: Mapping[str, Hint] = field(default_factory=dict)
    complete: bool = True

    def options(self, environment: str) -> EnvironmentOptions:
        """Give the build options of an environment; the defaults when none are declared."""
        return self.environments.get(environment, EnvironmentOptions())

    def to_json(self) -> dict[str, Any]:
        """Give everything but `root`, as JSON; only complete benchmarks are kept so."""
        return {
            "name": self.name,
            "description": self.description,
            "version": self.version,
            "tasks": [[entry.name, entry.environment, entry.line] for entry in self.tasks],
            "environments": {
                name: [dict(options.build_args), options.platform, list(options.supplied)]
                for name, options in self.environments.items()
            },
            "aggregate": self.aggregate.to_json(),
            "obtain": {name: [hint.text, hint.line] for name, hint in self.obtain.items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], root: Path) -> Benchmark:
        """Rebuild a benchmark from `to_json`; raise KeyError, TypeError or ValueError for something else."""
        return cls(
            name=data["name"],
            root=root,
            description=data["description"],
            version=data["version"],
            tasks=tuple([TaskEntry(name, environment, line) for name, environment, line in data["tasks"]]),
            environments={
                name: EnvironmentOptions(arguments, platform, tuple(supplied))
                for name, (arguments, platform, supplied) in data["environments"].items()
            },
            aggregate=Aggregation.from_json(data["aggregate"]),
            obtain={name: Hint(text, line) for name, (text, line) in data["obtain"].items()},
        )


def load_benchmark(root: Path) -> tuple[Benchmark, tuple[Problem, ...]]:
    """Read a benchmark.yaml: the benchmark and warnings; raise SpecError with all problems.

    The directories of the tasks must be there; their task.yaml files are not read (`load_task`).
    """
    benchmark, problems = parse_benchmark(root)
    return benchmark, refuse_errors([*problems, *missing_tasks(benchmark)])


def parse_benchmark(root: Path) -> tuple[Benchmark, list[Problem]]:
    """Read the benchmark.yaml alone; raise SpecError only when it cannot be read at all.

    With errors among the problems, the benchmark holds what can be told of the rest, so that faults elsewhere show
    at once: tasks whose name is sound, and "" for an environment that is not known.
    """
    from benchrouter.spec.benchmark_shape import BenchmarkShape, faults, sound_part, to_benchmark
    from benchrouter.spec.shapes import check
    from benchrouter.spec.yamlfile import read_with_faults

    document = read_with_faults(root / FILE)
    shape, problems = check(document, BenchmarkShape)
    problems = [*document.problems, *problems, *faults(document)]
    if shape is None or document.problems:
        return sound_part(document, root), problems
    return to_benchmark(document, shape, root, problems), problems


def missing_tasks(benchmark: Benchmark) -> list[Problem]:
    """Find the listed tasks that have no directory or no task.yaml."""
    problems: list[Problem] = []
    for entry in benchmark.tasks:
        if not is_there(benchmark.root / entry.name / TASK_FILE):
            problems.append(missing_task(benchmark, entry))
    return problems


def missing_task(benchmark: Benchmark, entry: TaskEntry) -> Problem:
    """Say what is missing of a listed task, and which directory was probably meant."""
    where = str(benchmark.root / FILE)
    if (benchmark.root / entry.name).is_dir():
        miss = near_miss(benchmark.root / entry.name, TASK_FILE)
        text = f"task `{entry.name}`: `{entry.name}/{TASK_FILE}` does not exist"
        return Problem(where, entry.line, f"{text}, but `{miss}`; rename it" if miss else text)
    there = [path.parent.name for path in benchmark.root.glob(f"*/{TASK_FILE}")]
    hint = did_you_mean(entry.name, there)
    return Problem(where, entry.line, f"task `{entry.name}`: no directory of that name{hint}")


def environment_directory(benchmark: Benchmark, environment: str, workspace: Path | None) -> Path | None:
    """Find the directory with an environment's Dockerfile: the benchmark's own, else the workspace's."""
    for root in (benchmark.root, workspace):
        if root is not None and is_there(root / "environments" / environment / "Dockerfile"):
            return root / "environments" / environment
    return None


def missing_environment(benchmark: Benchmark, environment: str, workspace: Path | None) -> Problem:
    """Say that an environment has no Dockerfile, at the line of the first task that wants it."""
    line = next((entry.line for entry in benchmark.tasks if entry.environment == environment), None)
    return Problem(str(benchmark.root / FILE), line, _no_dockerfile(benchmark, environment, workspace))


def missing_build(benchmark: Benchmark, task_file: Path, environment: str, workspace: Path | None) -> Problem:
    """Say that an environment which a sidecar builds has no Dockerfile, at the sidecar's line."""
    from benchrouter.spec.yamlfile import read

    document = read(task_file)
    builds = [(index, each.get("build")) for index, each in enumerate(document.data.get("sidecars") or ())]
    index = next((index for index, build in builds if build == environment), 0)
    line = document.line(("sidecars", index, "build"))
    return Problem(str(task_file), line, _no_dockerfile(benchmark, environment, workspace))


def _no_dockerfile(benchmark: Benchmark, environment: str, workspace: Path | None) -> str:
    roots = [root for root in (benchmark.root, workspace) if root is not None]
    there = [path.parent.name for root in roots for path in root.glob("environments/*/Dockerfile")]
    message = f"environment `{environment}`: no `environments/{environment}/Dockerfile`"
    misses = (near_miss(root / "environments" / environment, "Dockerfile") for root in roots)
    if miss := next(filter(None, misses), None):
        return f"{message}, but `{miss}`; rename it"
    return message + did_you_mean(environment, there)
