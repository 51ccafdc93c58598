"""Reading environments: those that the chosen tasks need, and what they build on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from benchrouter.graph.build import Environment, EnvironmentId, Selected
from benchrouter.graph.circles import circles
from benchrouter.keys.environment import environment_facts
from benchrouter.keys.facts import EnvironmentFacts
from benchrouter.keys.scan import scan_benchmark
from benchrouter.make.reading import Reading
from benchrouter.spec.benchmark import (
    FILE,
    TASK_FILE,
    Benchmark,
    environment_directory,
    missing_build,
    missing_environment,
)
from benchrouter.spec.inputs import is_there, read_input
from benchrouter.spec.problems import Problem, SpecError


def read_environments(reading: Reading, selected: Iterable[Selected]) -> dict[EnvironmentId, Environment]:
    """Read the environments of the selected tasks; what is wrong with them is added to the reading's problems."""
    environments = _Environments(reading)
    for choice in selected:
        environments.of(choice)
    found = {ident: each for ident, each in environments.found.items() if each is not None}
    reading.problems += _circles(found)
    return found


def _circles(environments: Mapping[EnvironmentId, Environment]) -> Iterator[Problem]:
    def builds_on(ident: EnvironmentId) -> Iterable[EnvironmentId]:
        return environments[ident].siblings.values() if ident in environments else ()

    for circle in circles(environments, builds_on):
        text = f"environments build on each other: {' -> '.join('/'.join(ident) for ident in circle)}"
        first = environments[circle[0]]
        ref = next(ref for ref, sibling in first.siblings.items() if sibling == circle[1])
        yield _problem(first.facts, ref, text)


def _problem(facts: EnvironmentFacts, ref: str, message: str) -> Problem:
    """Say what is wrong with a reference, at its line of the Dockerfile."""
    from benchrouter.spec.dockerfile import decode, line_of

    try:
        line = line_of(decode(read_input(facts.dockerfile)), ref, facts.build_args)
    except OSError:  # it is gone since it was read
        line = None
    return Problem(str(facts.dockerfile), line, message)


@dataclass
class _Environments:
    """Environments found so far; None where one cannot be used, or is being read."""

    reading: Reading
    found: dict[EnvironmentId, Environment | None] = field(default_factory=dict)

    def of(self, choice: Selected) -> None:
        benchmark, scanned = choice.scanned.benchmark, choice.scanned.tasks
        for entry in benchmark.tasks:
            wanted = entry.name in choice.tasks and entry.environment
            if wanted and not self.read(benchmark, wanted):
                self.add(missing_environment(benchmark, wanted, self.reading.ws.root))
        for facts in (scanned[task] for task in choice.tasks if task in scanned):
            for name in facts.needs_environments:
                if not self.read(benchmark, name):
                    self.add(missing_build(benchmark, facts.root / TASK_FILE, name, self.reading.ws.root))
            for ref in facts.needs_images:
                # A reference that means no environment is looked for outside.
                meant = self.meant(benchmark, ref)
                if meant is not None:
                    self.read(*meant)

    def add(self, problem: Problem) -> None:
        self.reading.problems.append(problem)

    def read(self, benchmark: Benchmark, name: str) -> bool:
        """Read an environment and what it builds on, unless that is done or under way; False when it is not there."""
        if (benchmark.name, name) in self.found:
            return True
        directory = environment_directory(benchmark, name, self.reading.ws.root)
        if directory is None:
            return False
        self.found[benchmark.name, name] = None
        try:
            facts = environment_facts(directory, benchmark.options(name), self.reading.cache(benchmark.root))
        except SpecError as error:
            self.reading.problems += error.problems
            return True
        siblings = {ref: self.sibling(benchmark, ref, facts) for ref in facts.sibling_refs}
        self.found[benchmark.name, name] = Environment(
            facts, {ref: (meant[0].name, meant[1]) for ref, meant in siblings.items() if meant is not None}
        )
        for meant in siblings.values():
            if meant is not None:
                self.read(*meant)
        return True

    def meant(self, benchmark: Benchmark, ref: str) -> tuple[Benchmark, str] | None:
        from benchrouter.spec.dockerfile import siblings

        for name, environment in siblings(ref):
            owner = benchmark if name in (None, benchmark.name) else self.other(name or "")
            if owner and environment_directory(owner, environment, self.reading.ws.root):
                return owner, environment
        return None

    def sibling(self, benchmark: Benchmark, ref: str, facts: EnvironmentFacts) -> tuple[Benchmark, str] | None:
        """Find the environment that a sibling reference means, or add what is wrong with it."""
        meant = self.meant(benchmark, ref)
        if meant is None:
            text = f"`{ref}`: no such environment, neither of this benchmark nor of another in the workspace"
            self.add(_problem(facts, ref, text))
        return meant

    def other(self, name: str) -> Benchmark | None:
        root = self.reading.ws.benchmarks / name
        if not is_there(root / FILE):
            return None
        try:
            return scan_benchmark(root, self.reading.cache(root), frozenset()).benchmark
        except SpecError as error:
            self.reading.problems += error.problems
            return None
