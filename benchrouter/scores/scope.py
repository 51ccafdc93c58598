"""What is looked at of all results: some benchmarks, tasks and models, or everything (pure)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from benchrouter.scores.collected import JobResult
from benchrouter.spec.names import LONGEST_NAME, encode
from benchrouter.store.jobid import JobId


@dataclass(frozen=True)
class Scope:
    """`tasks` has those of each benchmark, none for all of them, and is None for every benchmark.

    `models` is empty for every model.
    """

    tasks: Mapping[str, Sequence[str]] | None = None
    models: Collection[str] = ()

    @property
    def everything(self) -> bool:
        """Tell whether nothing is left out."""
        return self.tasks is None and not self.models

    @property
    def benchmarks(self) -> Collection[str] | None:
        """Name the benchmarks, None for every one."""
        return None if self.tasks is None else self.tasks.keys()

    def some_tasks(self, benchmark: str) -> bool:
        """Tell whether tasks of a benchmark were named."""
        return self.tasks is not None and bool(self.tasks.get(benchmark))

    def task(self, id: JobId) -> bool:
        """Tell whether a job's task is looked at, whatever its model."""
        if self.tasks is None:
            return True
        wanted = self.tasks.get(id.benchmark)
        return wanted is not None and (not wanted or id.task in wanted)

    def model(self, name: str) -> bool:
        """Tell whether a model is looked at."""
        return not self.models or name in self.models

    def jobs(self, jobs: Sequence[JobResult]) -> tuple[JobResult, ...]:
        """Keep the jobs of the tasks that are looked at."""
        return tuple(job for job in jobs if self.task(job.id))

    @property
    def label(self) -> str:
        """Give a part of a file's name that no other scope has: `hello`, `hello+capitals@demo`."""
        parts = ["+".join((name, *tasks)) for name, tasks in (self.tasks or {}).items()]
        label = ",".join(parts) + "".join(f"@{encode(name)}" for name in self.models)
        return label if len(label) <= LONGEST_NAME else encode(label)


EVERYTHING = Scope()
