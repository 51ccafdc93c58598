"""Who may run now: slots, memory reservations, GPUs, builds and per-model concurrency; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

DEFAULT_SHARE = 8
"""By default a job reserves the share of memory that lets this many run at once."""


@dataclass(frozen=True)
class Demand:
    """What one node needs while it runs: bytes of memory, GPUs, a build slot, a place at a model's endpoint."""

    memory: int = 0
    gpus: int = 0
    build: bool = False
    model: str | None = None


@dataclass
class Admission:
    """Counts what runs; `memory` in bytes; `models` maps a model to how many jobs it takes at once.

    A job whose own reservation exceeds all there is runs alone, since it could never run otherwise.
    """

    slots: int
    memory: int
    gpus: int
    builds: int
    models: Mapping[str, int]
    running: list[Demand] = field(default_factory=list)

    def fits(self, demand: Demand) -> bool:
        """Tell whether the demand can be met beside what runs now."""
        running = self.running
        if len(running) >= self.slots:
            return False
        if demand.memory and running and self._sum("memory") + demand.memory > self.memory:
            return False
        if demand.gpus and self._sum("gpus") + demand.gpus > self.gpus:
            return False
        if demand.build and sum(d.build for d in running) >= self.builds:
            return False
        limit = self.models.get(demand.model or "")
        return limit is None or sum(d.model == demand.model for d in running) < limit

    def _sum(self, what: str) -> int:
        return sum(getattr(d, what) for d in self.running)

    def take(self, demand: Demand) -> None:
        """Count a node as running."""
        self.running.append(demand)

    def release(self, demand: Demand) -> None:
        """Count a node as ended."""
        self.running.remove(demand)


def reserve(asked: int | None, limit: int, host_memory: int, slots: int) -> int:
    """Bytes to reserve for a job: what it asks for, else a fair share of the host, never above its limit."""
    return min(limit, asked if asked is not None else host_memory // max(DEFAULT_SHARE, slots))


def parallelism(admission: Admission, demands: list[Demand]) -> int:
    """Count how many of the demands run at once when they are admitted in order."""
    trial = Admission(admission.slots, admission.memory, admission.gpus, admission.builds, admission.models)
    for demand in demands:
        if trial.fits(demand):
            trial.take(demand)
            if len(trial.running) == trial.slots:
                break
    return len(trial.running)
