"""How the scores of a benchmark's tasks become one: the key `aggregate` of benchmark.yaml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchrouter.spec.names import did_you_mean
from benchrouter.spec.problems import Problem

RULES = {
    "mean": "the mean over tasks",
    "items": "the mean over the judged items of all tasks",
    "min": "the lowest score of a task",
    "max": "the highest score of a task",
    "weighted": "a mean over tasks with the weights that are given",
}
"""The rules by name, and what each gives."""
EXPECTED = "expected `mean`, `items`, `min`, `max`, or `weighted:` with a weight for each task"


@dataclass(frozen=True)
class Aggregation:
    """A rule of RULES; `weights` by task for `weighted`, empty for the others."""

    rule: str = "mean"
    weights: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> Any:
        """Give it as it stands in benchmark.yaml."""
        return {self.rule: dict(self.weights)} if self.weights else self.rule

    @classmethod
    def from_json(cls, data: Any) -> Aggregation:
        """Read what `to_json` gave; raise ValueError for something else."""
        if text := form_fault(data):
            raise ValueError(text)
        if isinstance(data, str):
            return cls(data)
        weights = data["weighted"]
        if not all(map(_is_weight, weights.values())) or not any(weights.values()):
            raise ValueError("expected weights of 0 or more, and one above 0")
        return cls("weighted", {task: float(weight) for task, weight in weights.items()})

    def __str__(self) -> str:
        if not self.weights:
            return self.rule
        return "weighted: " + ", ".join(f"{task} {weight:g}" for task, weight in sorted(self.weights.items()))


def form_fault(value: Any) -> str:
    """Say what is expected where the form is wrong; nothing for a rule, whatever its weights are."""
    if isinstance(value, str) and value != "weighted":
        return "" if value in RULES else EXPECTED + did_you_mean(value, RULES)
    if not isinstance(value, dict):
        return EXPECTED
    if list(value) != ["weighted"]:
        odd = next((str(key) for key in value if key != "weighted"), "")
        return EXPECTED + did_you_mean(odd, ["weighted"])
    if not isinstance(value["weighted"], dict) or not value["weighted"]:
        return "expected a weight for each task below `weighted:`"
    return ""


def faults_of_weights(document: Any, tasks: list[str], *, complete: bool) -> Iterator[Problem]:
    """Find what is wrong with single weights in a `yamlfile.Document`; `complete` means that `tasks` are all."""
    given = document.data.get("aggregate")
    if not isinstance(given, dict) or form_fault(given):
        return
    place, weights = ("aggregate", "weighted"), given["weighted"]
    sound = True
    for task, weight in weights.items():
        if not _is_weight(weight):
            sound = False
            found = document.text((*place, task))
            message = f"`aggregate.weighted.{task}`: found {found or 'nothing'}, expected a number of 0 or more"
            yield document.problem((*place, task), message)
        if complete and task not in tasks:
            message = f"`aggregate.weighted.{task}`: no task of that name{did_you_mean(task, tasks)}"
            yield document.problem((*place, task), message)
    if complete:
        for task in tasks:
            if task not in weights:
                message = f"`aggregate.weighted`: task `{task}` has no weight; 0 leaves it out of the score"
                yield document.problem(place, message)
    if sound and not any(weights.values()):
        yield document.problem(place, "`aggregate.weighted`: all weights are 0, expected one above 0")


def _is_weight(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9
