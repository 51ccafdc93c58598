"""Which scores may stand side by side: those of the same work, whatever the model (pure)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from benchrouter.keys.canonical import digest
from benchrouter.scores.collected import JobResult, Listed
from benchrouter.scores.seeds import typed_seed


@dataclass(frozen=True)
class Asked:
    """The work behind an aggregate: tasks with repeats, variables, and for each job what made it but for the model.

    `variables` is None where no artifact is left to tell; such an aggregate stands alone. `seed` is one that was typed.
    """

    jobs: tuple[tuple[str, int], ...]
    whole: bool
    rule: str
    variables: tuple[tuple[str, str], ...] | None
    contents: Mapping[tuple[str, int], str]
    seed: int | None = None

    def matches(self, other: Asked) -> bool:
        """Tell whether two aggregates asked for the same; of jobs that one of them does not know nothing is held."""
        if not self.looks_like(other):
            return False
        both = self.contents.keys() & other.contents.keys()
        return all(self.contents[job] == other.contents[job] for job in both)

    def looks_like(self, other: Asked) -> bool:
        """Tell whether two are known to have been asked for in the same words; their content may differ."""
        return self._ask == other._ask and self.variables is not None

    def merged(self, other: Asked) -> Asked:
        """Know what either knows."""
        return replace(self, contents={**other.contents, **self.contents})

    @property
    def _ask(self) -> tuple[object, ...]:
        return self.jobs, self.rule, self.variables, self.seed

    @property
    def words(self) -> tuple[str, ...]:
        """Say for people what was asked for, other than everything."""
        tasks = list(dict.fromkeys(task for task, _ in self.jobs))
        words = [] if self.whole else [f"tasks {', '.join(tasks[:4])}" + (" …" if len(tasks) > 4 else "")]
        repeats = max((repeat for _, repeat in self.jobs), default=0) + 1
        words += [f"{repeats} repeats"] if repeats > 1 else []
        words += [f"seed {self.seed}"] if self.seed is not None else []
        words += [f"aggregate {self.rule}"] if self.rule != "mean" else []
        words += [f"{name}={value}" for name, value in self.variables or ()]
        return tuple(words if self.variables is not None else [*words, "no longer known how it was asked for"])

    @property
    def rank(self) -> tuple[bool, bool, tuple[str, ...]]:
        """Order groups of a benchmark: the whole without variables first."""
        return not self.whole, bool(self.variables) or self.seed is not None, self.words


def asked_of(listed: Listed, jobs: Sequence[JobResult]) -> Asked:
    """Read what was asked for from an aggregate and its jobs."""
    known = [job for job in jobs if job.inputs]
    variables = tuple(sorted(known[0].variables.items())) if known else None
    return Asked(
        tuple(sorted((job.id.task, job.id.repeat) for job in jobs)),
        len(jobs) >= listed.declared,
        str(listed.rule),
        variables,
        {(job.id.task, job.id.repeat): _content(job) for job in known},
        next((job.seed for job in known if typed_seed(job.seed, job.inputs.get("task")) is not None), None),
    )


def _content(job: JobResult) -> str:
    return digest({name: value for name, value in job.inputs.items() if name != "model"})
