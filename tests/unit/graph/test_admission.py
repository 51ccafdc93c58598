"""Running jobs never exceed what there is; nothing waits for ever."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from benchrouter.graph.admission import Admission, Demand, parallelism, reserve

GIB = 1 << 30


def admission(**what: int) -> Admission:
    """Eight slots, 16 GiB, two GPUs, two builds; at most three jobs of model m."""
    given_ = {"slots": 8, "memory": 16 * GIB, "gpus": 2, "builds": 2, **what}
    return Admission(**given_, models={"m": 3})  # type: ignore[arg-type]


def test_each_limit_holds() -> None:
    """Slots, memory, GPUs, builds, the model's concurrency."""
    assert parallelism(admission(), [Demand()] * 20) == 8
    assert parallelism(admission(), [Demand(memory=4 * GIB)] * 20) == 4
    assert parallelism(admission(), [Demand(gpus=1)] * 20) == 2
    assert parallelism(admission(), [Demand(build=True)] * 20) == 2
    assert parallelism(admission(), [Demand(model="m")] * 20) == 3
    assert parallelism(admission(), [Demand(model="other")] * 20) == 8


def test_a_job_too_big_for_the_machine_runs_alone() -> None:
    """It could never run otherwise."""
    there = admission()
    big = Demand(memory=64 * GIB)
    assert there.fits(big)
    there.take(Demand(memory=1))
    assert not there.fits(big)
    there.release(Demand(memory=1))
    there.take(big)
    assert not there.fits(Demand(memory=1)) and there.fits(Demand())


def test_default_reservations_let_eight_jobs_run() -> None:
    """More with more slots; never above the limit; what is asked for counts."""
    host = 16 * GIB
    assert reserve(None, 16 * GIB, host, 8) == 2 * GIB == reserve(None, 16 * GIB, host, 2)
    assert reserve(None, 16 * GIB, host, 16) == GIB
    assert reserve(None, GIB // 16, host, 8) == GIB // 16
    assert reserve(3 * GIB, 16 * GIB, host, 8) == 3 * GIB
    assert parallelism(admission(), [Demand(memory=reserve(None, 16 * GIB, host, 8))] * 20) == 8


demands = st.builds(
    Demand, st.integers(0, 20 * GIB), st.integers(0, 2), st.booleans(), st.sampled_from([None, "m", "n"])
)


@given(st.lists(demands, max_size=30))
def test_whatever_comes_the_sums_stay_within_what_there_is(asked: list[Demand]) -> None:
    """And what fits into an idle machine is every demand that the machine can meet at all."""
    there = admission()
    for demand in asked:
        assert admission().fits(demand)
        if there.fits(demand):
            there.take(demand)
    running = there.running
    assert len(running) <= 8 and sum(d.gpus for d in running) <= 2 and sum(d.build for d in running) <= 2
    assert sum(d.model == "m" for d in running) <= 3
    hungry = [d.memory for d in running if d.memory]
    assert sum(hungry) <= 16 * GIB or len(hungry) == 1
