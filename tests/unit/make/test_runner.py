"""The runner, driven by doit's own dispatcher over tasks of the test: admission, order, retries, stop, faults."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from doit.control import TaskControl
from doit.dependency import Dependency
from doit.task import Stream, dict_to_task

from benchrouter.graph.admission import Admission, Demand
from benchrouter.make.backend import NoDatabase
from benchrouter.make.runner import AGAIN, SlotRunner
from benchrouter.store.runs import Span


class Silent:
    """A doit reporter that remembers failures."""

    def __init__(self) -> None:
        self.failures: list[Any] = []

    def add_failure(self, task: Any, fail: Any) -> None:
        """Remember."""
        self.failures.append(fail)

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_args: None


@dataclass
class Floor:
    """What runs, how many at once at most, in which order it began; a gate that the test opens."""

    slots: int = 2
    demands: dict[str, Demand] = field(default_factory=dict)
    closed: set[str] = field(default_factory=set)
    began: list[str] = field(default_factory=list)
    now: int = 0
    most: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    stop: threading.Event = field(default_factory=threading.Event)
    wake: queue.SimpleQueue[Any] = field(default_factory=queue.SimpleQueue)
    spans: list[tuple[str, Span]] = field(default_factory=list)

    def worked(self, name: str, span: Span) -> None:
        """Remember what ran on which slot."""
        with self.lock:
            self.spans.append((name, span))

    def demand(self, name: str) -> Demand:
        """Give what the test said."""
        return self.demands.get(name, Demand())

    def may_start(self, name: str) -> bool:
        """Hold back what the test closed."""
        return name not in self.closed

    def rank(self, name: str) -> int:
        """Keep the order."""
        return 0

    def body(self, name: str, seconds: float = 0.02, answer: Callable[[], Any] = lambda: None) -> Callable[[], Any]:
        """Make an action that records itself."""

        def act() -> Any:
            with self.lock:
                self.began.append(name)
                self.now += 1
                self.most = max(self.most, self.now)
            time.sleep(seconds)
            with self.lock:
                self.now -= 1
            return answer()

        return act

    def run(self, tasks: list[dict[str, Any]], wanted: list[str] | None = None) -> tuple[int, Silent]:
        """Run tasks to the end; give doit's status and what was reported."""
        made = [dict_to_task(task) for task in tasks]
        control = TaskControl(made)
        control.process(wanted)
        silent = Silent()
        runner = SlotRunner(
            Dependency(NoDatabase, ""),
            silent,
            True,
            False,
            Stream(2),
            admission=Admission(self.slots, 100, 1, 1, {"m": 1}),
            gate=self,
            stop=self.stop,
            wake=self.wake,
        )
        return runner.run_all(control.task_dispatcher()), silent


def task(floor: Floor, name: str, *needs: str, **body: Any) -> dict[str, Any]:
    """Make a task of doit."""
    return {"name": name, "actions": [(floor.body(name, **body),)], "task_dep": list(needs)}


def test_slots_are_used_and_never_exceeded() -> None:
    """And dependencies come first."""
    floor = Floor(slots=3)
    names = [f"j{i}" for i in range(8)]
    status, _ = floor.run([task(floor, "base"), *(task(floor, n, "base") for n in names), task(floor, "all", *names)])
    assert status == 0 and floor.most == 3
    assert floor.began[0] == "base" and floor.began[-1] == "all" and len(floor.began) == 10


def test_each_stretch_of_work_is_told_with_a_slot_that_nobody_else_has() -> None:
    """The lowest free one, so that a timeline has as many rows as ran at once."""
    floor = Floor(slots=3)
    floor.run([task(floor, f"j{i}") for i in range(8)])
    assert sorted(name for name, _ in floor.spans) == [f"j{i}" for i in range(8)]
    assert {span.slot for _, span in floor.spans} == {0, 1, 2}
    rows = [[span for _, span in floor.spans if span.slot == slot] for slot in range(3)]
    for row in rows:
        for one, after in pairwise(sorted(row, key=lambda span: span.started)):
            assert 0.02 <= one.seconds <= after.started - one.started + 0.005  # two clocks


@pytest.mark.parametrize("demand", [Demand(memory=60), Demand(gpus=1), Demand(build=True), Demand(model="m")])
def test_what_does_not_fit_waits_and_lets_others_pass(demand: Demand) -> None:
    """Two that exclude each other, and one that needs nothing."""
    floor = Floor(slots=8, demands={"a": demand, "b": demand})
    floor.run([task(floor, "a", seconds=0.2), task(floor, "b"), task(floor, "c")])
    assert set(floor.began[:2]) == {"a", "c"} and floor.began[2] == "b"


def test_a_retry_comes_again_once_and_gives_the_slot_back() -> None:
    """An action that returns None after it asked for another turn is done: values of before are forgotten."""
    floor = Floor(slots=1)
    answers = [{AGAIN: 0.15}, {AGAIN: 0.01}, None]
    status, _ = floor.run([task(floor, "a", answer=lambda: answers.pop(0)), task(floor, "b"), task(floor, "c", "a")])
    assert status == 0 and floor.began == ["a", "b", "a", "a", "c"]


def test_a_closed_gate_holds_its_jobs_only() -> None:
    """Until it is opened and the runner woken."""
    floor = Floor(closed={"a"})

    def open_it() -> None:
        floor.closed.clear()
        floor.wake.put(None)

    threading.Timer(0.2, open_it).start()
    floor.run([task(floor, "a"), task(floor, "b")])
    assert floor.began == ["b", "a"]


def test_a_stop_lets_what_runs_end_and_starts_nothing_more() -> None:
    """Waiting retries included."""
    floor = Floor(slots=1)

    def stop() -> dict[str, float]:
        floor.stop.set()
        floor.wake.put(None)
        return {AGAIN: 60.0}

    began = time.monotonic()
    floor.run([task(floor, "a", answer=stop), task(floor, "b")])
    assert floor.began == ["a"] and floor.now == 0 and time.monotonic() - began < 5


def test_a_fault_of_ours_fails_its_node_and_the_status() -> None:
    """The others still run."""
    floor = Floor()

    def boom() -> None:
        raise RuntimeError("a bug")

    status, silent = floor.run([task(floor, "a", answer=boom), task(floor, "b"), task(floor, "c", "a")])
    assert status != 0 and floor.began.count("b") == 1 and "c" not in floor.began
    assert "a bug" in silent.failures[0].get_msg()
