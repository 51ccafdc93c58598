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


class SpecError(Exception):
    """Files that cannot be used; carries every problem found, warnings included."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def refuse_errors(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Give the warnings back; raise SpecError with everything if there is an error among the problems."""
    found = tuple(problems)
    if any(not problem.warning for problem in found):
        raise SpecError(found)
    return found
