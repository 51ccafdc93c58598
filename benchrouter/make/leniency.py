"""Leaving out benchmarks that cannot be read, where a command is not about them: the rest of the workspace works."""

from __future__ import annotations

from dataclasses import dataclass

from benchrouter.graph.build import Selected
from benchrouter.graph.selection import Catalog, Choice
from benchrouter.make.environments import read_environments
from benchrouter.make.reading import Reading
from benchrouter.make.volumes import read_volumes
from benchrouter.spec.problems import Problem, in_order
from benchrouter.spec.settings import Settings


@dataclass(frozen=True)
class LeftOut:
    """A benchmark that cannot be read, by the word that means it, and what is wrong with it."""

    name: str
    problems: tuple[Problem, ...]

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems if not problem.warning]
        return "\n".join([*lines, f"benchmark `{self.name}` has faults and is left out"])


def readable(
    reading: Reading, chosen: tuple[Choice, ...], catalog: Catalog, settings: Settings
) -> tuple[tuple[Choice, ...], tuple[LeftOut, ...]]:
    """Part the chosen benchmarks into those that can be read and those that cannot; the reading learns no problem."""
    sound, faulty = [], []
    for choice in chosen:
        trial = Reading(reading.ws, caches=reading.caches)
        scanned = trial.benchmarks((choice,), catalog).get(choice.root)
        if scanned is not None:
            tasks = tuple(entry.name for entry in scanned.benchmark.tasks)
            selected = (Selected(scanned, tasks),)
            read_environments(trial, selected)
            read_volumes(trial, settings, selected)
        if trial.broken:
            faulty.append(LeftOut(choice.root.name, in_order(trial.problems)))
        else:
            sound.append(choice)
    return tuple(sound), tuple(faulty)
