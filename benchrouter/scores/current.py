"""Which jobs count: each once, however many aggregates hold it, and those of the newest content only (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from benchrouter.keys.canonical import digest
from benchrouter.scores.collected import JobResult
from benchrouter.store.states import JobState

Ask = tuple[Any, ...]

_OF_AN_ASK = ("model", "variables", "seed")


class Newest:
    """Tells of each aggregate's jobs whether newer ones have other content; aggregates have to come newest first.

    Content is of a task: what any model has a score in. A model has one form under the same variables. A seed that was
    typed is another ask, as variables are, and says nothing of content; that of task.yaml is part of it.
    """

    def __init__(self) -> None:
        self._known: dict[Ask, str] = {}

    def current(self, jobs: Sequence[JobResult]) -> tuple[JobResult, ...]:
        """Leave out the jobs whose content is not the newest, and unknown ones where a newer aggregate has the task."""
        newer = dict(self._known)
        variables = next((tuple(sorted(job.variables.items())) for job in jobs if job.inputs), ())
        return tuple(job for job in jobs if self._is_current(job, variables, newer))

    def outdated(self, jobs: Sequence[JobResult]) -> bool:
        """Tell whether newer results have other content of each task that these are of, as far as that is known."""
        contents = [(self._known.get(_task(job)), _content(job, *_OF_AN_ASK)) for job in jobs if job.inputs]
        return bool(contents) and all(known not in (None, content) for known, content in contents)

    def _is_current(self, job: JobResult, variables: tuple[Any, ...], newer: dict[Ask, str]) -> bool:
        ask = (*_task(job), variables)
        if not job.inputs:
            return (*ask, job.id.model) not in newer
        marks = {_task(job): _content(job, *_OF_AN_ASK), (*ask, job.id.model): _content(job, "seed")}
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


def _task(job: JobResult) -> Ask:
    return job.id.benchmark, job.id.task


def _content(job: JobResult, *left_out: str) -> str:
    """Sum up what made a job but for its repeat and what is left out; seeds are those of the first repeat."""
    return digest({name: value for name, value in job.inputs.items() if name not in ("repeat", *left_out)})
