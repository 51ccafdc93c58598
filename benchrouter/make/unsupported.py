"""Why a job cannot run on this machine, as far as that is known before anything starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from benchrouter.engine import gpus
from benchrouter.graph.nodes import JobNode
from benchrouter.make.passing import unpassable

if TYPE_CHECKING:
    from benchrouter.make.session import Session


class Unsupported:
    """Answers for one session; a job that cannot run needs no image either."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[str, str] = {}

    def why(self, job: JobNode) -> str:
        """Say what a job lacks here, and what to install where that helps; empty when it can run."""
        if job.name not in self._known:
            self._known[job.name] = (
                self._no_sidecars(job)
                or self._too_many_gpus(job)
                or unpassable(self._session, job)
                or "; ".join(self._session.lacking.data(job))
            )
        return self._known[job.name]

    def lines(self) -> Iterator[str]:
        """Sum up the due jobs that cannot run: how many, and why; but for what `Lacking.lines` tells."""
        due = [job for job in self._session.due_jobs if not self._session.lacking.data(job)]
        for why, count in sorted(Counter(why for job in due if (why := self.why(job))).items()):
            yield f"{count} job{'s' * (count != 1)} will end unsupported: {why}"

    def _no_sidecars(self, job: JobNode) -> str:
        return self._no_compose if job.facts.has_sidecars else ""

    @cached_property
    def _no_compose(self) -> str:
        from benchrouter.engine.compose import ComposeMissing, find_compose

        try:
            find_compose(self._session.environ)
        except ComposeMissing as error:
            return f"the task has sidecars, and {error}"
        return ""

    def _too_many_gpus(self, job: JobNode) -> str:
        asked = job.facts.task().resources.gpus
        return f"the task asks for {asked} GPUs, the engine has {self._gpus}" if asked > self._gpus else ""

    @cached_property
    def _gpus(self) -> int:
        live = self._session.live
        return live.admission.gpus if live else gpus.count()
