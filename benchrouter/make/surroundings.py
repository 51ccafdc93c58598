"""What stands around the jobs of a plan: networks, sidecars, and rights beyond those of an ordinary container."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from benchrouter.graph.admission import Demand
from benchrouter.graph.demand import memory_beside
from benchrouter.graph.nodes import JobNode
from benchrouter.keys.facts import TaskFacts
from benchrouter.spec.mode import Mode
from benchrouter.spec.settings import SiteLimits
from benchrouter.spec.sidecar_keys import rights_of

_OWN = {
    "host": "one of their own each, the endpoint through our relay",
    "bridge": "one of their own each, our relay to the endpoint the only way out",
    "none": "one of their own each, without a way out",
}
_SHOWN = 20


def surrounding_lines(jobs: Iterable[JobNode], daemons: str) -> Iterator[str]:
    """Lay out networks, sidecars and privileges; `daemons` says with which rights a task's own daemon would run."""
    facts = [job.facts for job in jobs]
    yield f"networks: {_counted(Counter(_network(each) for each in facts))}"
    with_sidecars = [each for each in facts if each.has_sidecars]
    if with_sidecars:
        yield f"sidecars: {_counted(Counter(_sidecars(each) for each in with_sidecars))}"
    wanted = list(_privileges(facts, daemons))
    yield "privileges: none" if not wanted else f"privileges: {wanted[0]}"
    for line in wanted[1 : _SHOWN + 1]:
        yield f"            {line}"


def memory_line(jobs: Iterable[JobNode], demands: Iterable[Demand], limits: SiteLimits) -> str:
    """Say how much memory jobs hold while they run, and how much of it is for their sidecars."""
    return _counted(Counter(_memory(job, demand, limits) for job, demand in zip(jobs, demands, strict=True)))


def _memory(job: JobNode, demand: Demand, limits: SiteLimits) -> str:
    beside = sum(memory_beside(job.facts.task().sidecars, limits)) if job.facts.has_sidecars else 0
    of_it = f", {min(beside, demand.memory) / 2**30:.1f} GiB of it for sidecars" if beside else ""
    return f"{demand.memory / 2**30:.1f} GiB reserved for each{of_it}"


def _counted(found: Counter[str]) -> str:
    return ", ".join(f"{text} ({_jobs(count)})" for text, count in sorted(found.items()))


def _jobs(count: int) -> str:
    return f"{count} job{'s' * (count != 1)}"


def _network(facts: TaskFacts) -> str:
    alone = facts.mode is Mode.SIMPLE and facts.network != "bridge"
    alone = alone or (facts.mode is Mode.DIND and facts.network == "none")
    return facts.network if alone else _OWN[facts.network]


def _sidecars(facts: TaskFacts) -> str:
    return " and ".join(f"{each['name']} ({_image(each)})" for each in facts.task().sidecars)


def _image(sidecar: Mapping[str, Any]) -> str:
    return f"environment {sidecar['build']}" if sidecar.get("build") else str(sidecar.get("image"))


def _privileges(facts: Iterable[TaskFacts], daemons: str) -> Iterator[str]:
    known = list(facts)
    docker = sum(each.docker for each in known)
    if docker:
        want = "want" if docker > 1 else "wants"
        yield f"{_jobs(docker)} {want} a Docker daemon of {'their' if docker > 1 else 'its'} own{daemons}"
    asked = Counter(
        line for each in known if each.has_sidecars for sidecar in each.task().sidecars for line in _asked(sidecar)
    )
    for line, count in sorted(asked.items()):
        yield f"{line} ({_jobs(count)})"


def _asked(sidecar: Mapping[str, Any]) -> Iterator[str]:
    if wants := ", ".join(rights_of(sidecar)):
        yield f"sidecar {sidecar['name']} asks for {wants}"
