"""Which jobs count: each once, however many aggregates hold it, and those of the newest content only (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from benchrouter.keys.canonical import digest
from benchrouter.scores.collected import JobResult
from benchrouter.store.states import JobState

Ask = tuple[Any, ...]


class Newest:
    """Tells of each aggregate's jobs whether newer ones have other content; aggregates have to come newest first.

    Content is of a task: what any model has a score in. Under the same variables it has one seed, and a model one form.
    """

    def __init__(self) -> None:
        self._known: dict[Ask, str] = {}

    def current(self, jobs: Sequence[JobResult]) -> tuple[JobResult, ...]:
        """Leave out the jobs whose content is not the newest, and unknown ones where a newer aggregate has the task."""
        newer = dict(self._known)
        variables = next((tuple(sorted(job.variables.items())) for job in jobs if job.inputs), ())
        return tuple(job for job in jobs if self._is_current(job, variables, newer))

    def _is_current(self, job: JobResult, variables: tuple[Any, ...], newer: dict[Ask, str]) -> bool:
        ask = (job.id.benchmark, job.id.task, variables)
        if not job.inputs:
            return (*ask, job.id.model) not in newer
        marks = {
            ask[:2]: _content(job, "model", "variables", "seed"),
            ask: _content(job, "model"),
            (*ask, job.id.model): _content(job),
        }
        if job.overall is not None:  # an outage after an edit hides no score
            for each, content in marks.items():
                self._known.setdefault(each, content)
        return all(self._known.get(each, content) == content for each, content in marks.items())


def once(held: Sequence[tuple[JobResult, ...]]) -> Iterator[tuple[JobResult, ...]]:
    """Give of each result the jobs that no earlier one holds by the same key; one run before one waiting."""
    home: dict[Ask, tuple[int, bool]] = {}
    for number, jobs in enumerate(held):
        for job in jobs:
            there, waits = home.get((job.id, job.key)), job.state not in (JobState.COMPLETED, JobState.FAILED)
            if there is None or (there[1] and not waits):
                home[job.id, job.key] = number, waits
    for number, jobs in enumerate(held):
        yield tuple(job for job in jobs if home[job.id, job.key][0] == number)


def _content(job: JobResult, *left_out: str) -> str:
    """Sum up what made a job but for its repeat and what is left out; seeds are those of the first repeat."""
    return digest({name: value for name, value in job.inputs.items() if name not in ("repeat", *left_out)})
