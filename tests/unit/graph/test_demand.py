"""What a job needs while it runs: its own memory, and that of the sidecars beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchrouter.graph.admission import Demand
from benchrouter.graph.demand import demand_of
from benchrouter.spec.settings import SiteLimits

from .small import benchmark, graph, write

MIB, GIB = 1 << 20, 1 << 30
HOST = 16 * GIB


def demand(root: Path, text: str, slots: int = 8, memory: int = HOST) -> Demand:
    """Ask for the demand of a task with such a task.yaml."""
    benchmark(root, ("t",))
    write(root, {"t/task.yaml": f"name: t\ncommand: sh run.sh\n{text}"})
    (job,) = graph(root).jobs
    return demand_of(job, SiteLimits(), memory, slots)


DECLARED = [
    "mem_limit: 3g",
    "deploy: {resources: {limits: {memory: 3g}}}",
    "mem_limit: 8g, mem_reservation: 3072m",
    "mem_limit: 8g, deploy: {resources: {reservations: {memory: 3gb}}}",
    f"mem_limit: {3 * GIB}",
    "mem_limit: 1g, scale: 3",
    "mem_limit: 1536m, deploy: {replicas: 2}",
]


@pytest.mark.parametrize("declared", DECLARED)
def test_memory_of_sidecars_was_not_reserved(tmp_path: Path, declared: str) -> None:
    """Eight databases of 3 GiB each were started on 16 GiB; what is declared comes on top of the job's share."""
    db = f"sidecars: [{{name: db, image: i, {declared}}}]\n"
    assert demand(tmp_path, "").memory == 2 * GIB
    assert demand(tmp_path, db).memory == 5 * GIB
    assert demand(tmp_path, f"{db}resources: {{reserve: 4g}}\n").memory == 7 * GIB


def test_sidecars_that_declare_nothing_are_within_the_share_as_far_as_it_goes(tmp_path: Path) -> None:
    """Eight jobs with a small service each still run at once; many services, or a reservation of its own, add up."""
    two = "sidecars: [{name: a, image: i}, {name: b, image: i, mem_limit: 0}]\n"
    assert demand(tmp_path, two).memory == 2 * GIB
    assert demand(tmp_path, two, slots=16).memory == 1536 * MIB  # half of the share stays the task's
    assert demand(tmp_path, f"{two}resources: {{reserve: 1g}}\n").memory == 2 * GIB


def test_a_job_whose_sidecars_exceed_the_machine_runs_alone(tmp_path: Path) -> None:
    """As one that exceeds it by itself."""
    assert demand(tmp_path, "sidecars: [{name: a, image: i, mem_limit: 64g}]\n").memory == HOST


def test_gpus_and_the_model_are_part_of_it(tmp_path: Path) -> None:
    found = demand(tmp_path, "resources: {gpus: 2, memory: 1g}\n")
    assert found == Demand(memory=GIB, gpus=2, model="m")
