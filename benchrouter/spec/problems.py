"""What is wrong in a file: where, what was found, what was expected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One fault of one file; `line` counts from 1, None concerns the file as a whole."""

    where: str
    line: int | None
    message: str
    warning: bool = False

    def __str__(self) -> str:
        place = self.where if self.line is None else f"{self.where}:{self.line}"
        return f"{place}: {'warning: ' if self.warning else ''}{self.message}"


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Sort problems by line within each file, files as they came; what was found twice counts once."""
    found = dict.fromkeys(problems)
    files = {where: place for place, where in enumerate(dict.fromkeys(problem.where for problem in found))}
    return tuple(sorted(found, key=lambda problem: (files[problem.where], problem.line or 0)))


class SpecError(Exception):
    """Files that cannot be used; carries every problem found once, in order, warnings included."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = in_order(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def refuse_errors(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Give the warnings back; raise SpecError with everything if there is an error among the problems."""
    found = in_order(problems)
    if any(not problem.warning for problem in found):
        raise SpecError(found)
    return found
