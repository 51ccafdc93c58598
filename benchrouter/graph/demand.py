"""What a job needs while it runs: memory for itself and its sidecars, GPUs, a place at its model's endpoint (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from benchrouter.graph.admission import Demand, reserve
from benchrouter.graph.nodes import JobNode
from benchrouter.spec.settings import SiteLimits
from benchrouter.spec.sidecar_memory import memory_of


def demand_of(job: JobNode, limits: SiteLimits, memory: int, slots: int) -> Demand:
    """Say what a job needs on a machine with so much memory (bytes), of whose jobs `slots` may run at once."""
    task = job.facts.task()
    resources = task.resources
    own = reserve(resources.reserve, resources.memory or limits.memory_of(docker=task.docker), memory, slots)
    declared, assumed = memory_beside(task.sidecars, limits)
    # What nobody has declared is part of the share that lets the usual number of jobs run, as far as it goes.
    own = max(own, assumed + own // 2) if resources.reserve is None else own + assumed
    return Demand(min(own + declared, memory), resources.gpus, model=job.model.name)


def memory_beside(sidecars: Iterable[Mapping[str, Any]], limits: SiteLimits) -> tuple[int, int]:
    """Add up the memory of sidecars, in bytes: of those that declare it, and what is assumed of the others."""
    found = [memory_of(sidecar, limits.sidecar_reserve) for sidecar in sidecars]
    return sum(size for size, known in found if known), sum(size for size, known in found if not known)
