"""How doit's ready tasks are handed to threads: in order, as admission allows, with retries that give the slot back.

doit's own thread runner starts whatever is ready on the next free thread. A run of evaluations also has to respect
memory, GPUs, builds and the concurrency of each endpoint, so ready tasks wait here until they fit. doit's dispatcher
still decides what is ready, and doit's Task still executes it.
"""

from __future__ import annotations

import bisect
import queue
import threading
import time
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from doit.control import ExecNode, TaskDispatcher
from doit.runner import Runner

from benchrouter.graph.admission import Admission, Demand
from benchrouter.store.runs import Span

_PATIENCE = 40.0  # for what runs to end after a stop: more than the end of a container may take
AGAIN = "again_in"
"""Key of an action's value that asks for another execution, in that many seconds."""


class Gate(Protocol):
    """What decides when a node may run."""

    def demand(self, name: str) -> Demand:
        """Say what the node needs while it runs."""

    def may_start(self, name: str) -> bool:
        """Tell whether the node may start now, for reasons other than resources (a paused endpoint)."""

    def rank(self, name: str) -> int:
        """Order kinds of nodes: of what waits, the lowest rank starts first."""

    def worked(self, name: str, span: Span) -> None:
        """Hear when, for how long and on which slot a node was executed; called from the node's thread."""


@dataclass(order=True)
class _Waiting:
    place: tuple[int, int]
    node: ExecNode = field(compare=False)
    not_before: float = field(default=0.0, compare=False)


class SlotRunner(Runner):  # type: ignore[misc]
    """Runs tasks on at most as many threads as admission has slots; stops handing out work once stopped."""

    def __init__(
        self,
        *args: Any,
        admission: Admission,
        gate: Gate,
        stop: threading.Event,
        wake: queue.SimpleQueue[Any],
    ) -> None:
        super().__init__(*args)
        self.admission = admission
        self.gate = gate
        self.stop = stop
        self.done = wake
        self.waiting: list[_Waiting] = []
        self.running = 0
        self.free: list[int] = []  # slots below the highest one used that are free again
        self.positions: dict[str, int] = {}

    def run_tasks(self, task_dispatcher: TaskDispatcher) -> None:
        """Dispatch until nothing is left; after a stop, only wait for what runs."""
        self.positions = {name: position for position, name in enumerate(task_dispatcher.tasks)}
        try:
            self._pull(task_dispatcher, None)
            while True:
                self._start_what_fits()
                if self.stop.is_set():
                    self._wind_up()
                    return
                if not self.running and not self.waiting:
                    return
                ended = self._await()
                if ended is not None:
                    self._settle(task_dispatcher, *ended)
        except BaseException:
            # A bug of ours. What runs must end first, or it would create containers after the last sweep.
            self._wind_up()
            raise

    def _wind_up(self) -> None:
        """Wait until what runs has ended, though not for ever: an engine may be stuck."""
        self.stop.set()
        until = time.monotonic() + _PATIENCE
        while self.running and time.monotonic() < until:
            try:
                self.running -= self.done.get(timeout=1.0) is not None
            except queue.Empty:
                pass

    def _pull(self, dispatcher: TaskDispatcher, completed: ExecNode | None) -> None:
        """Take every task that is ready from doit's dispatcher, after telling it what completed."""
        node = completed
        while True:
            try:
                node = dispatcher.generator.send(node)
            except StopIteration:
                return
            if node == "hold on":
                return
            if not self.select_task(node, dispatcher.tasks):
                continue
            if not node.task.actions:
                self.process_task_result(node, self.execute_task(node.task))
                continue
            name = node.task.name
            # In the order of the listing, as doit itself does not promise.
            bisect.insort(self.waiting, _Waiting((self.gate.rank(name), self.positions[name]), node))
            node = None

    def _start_what_fits(self) -> None:
        if self.stop.is_set():
            return
        now = time.monotonic()
        left: list[_Waiting] = []
        refused: set[Demand] = set()
        for i, item in enumerate(self.waiting):
            if self.running >= self.admission.slots:
                left += self.waiting[i:]
                break
            name = item.node.task.name
            demand = self.gate.demand(name)
            if demand in refused or item.not_before > now or not self.gate.may_start(name):
                left.append(item)
            elif self.admission.fits(demand):
                self.admission.take(demand)
                slot = self.free.pop(0) if self.free else self.running
                self.running += 1
                threading.Thread(target=self._work, args=(item, demand, slot), name=name, daemon=True).start()
            else:
                refused.add(demand)
                left.append(item)
        self.waiting = left

    def _work(self, item: _Waiting, demand: Demand, slot: int) -> None:
        started, clock = time.time(), time.monotonic()
        try:
            failure = self.execute_task(item.node.task)
        except BaseException as error:
            # An exception here is a bug; the main thread raises it, so that the run ends in order.
            failure = error
        self.gate.worked(item.node.task.name, Span(slot, started, time.monotonic() - clock))
        self.done.put((item, demand, slot, failure))

    def _await(self) -> tuple[_Waiting, Demand, int, Any] | None:
        """Wait for the end of a task, a signal (None in the queue) or the time of the next retry."""
        now = time.monotonic()
        later = [item.not_before for item in self.waiting if item.not_before > now]
        idle = 1.0 if self.waiting and not later else None
        timeout = max(0.01, min(later) - now) if later else idle
        try:
            ended: tuple[_Waiting, Demand, int, Any] | None = self.done.get(timeout=timeout)
        except queue.Empty:
            return None
        return ended

    def _settle(
        self, dispatcher: TaskDispatcher, item: _Waiting, demand: Demand, slot: int, failure: Any
    ) -> None:
        self.running -= 1
        bisect.insort(self.free, slot)
        self.admission.release(demand)
        if isinstance(failure, BaseException):
            raise failure
        again = item.node.task.values.get(AGAIN)
        if failure is None and again is not None:
            _forget_values(item.node)
            bisect.insort(self.waiting, replace(item, not_before=time.monotonic() + float(again)))
            return
        self.process_task_result(item.node, failure)
        self._pull(dispatcher, item.node)


def _forget_values(node: ExecNode) -> None:
    """Drop what the last execution returned; an action that returns None keeps its earlier values otherwise."""
    node.task.values.clear()
    for action in node.task.actions:
        action.values = {}
