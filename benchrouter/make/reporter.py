"""What a run tells the person in front of it: four events, shown as plain lines or as a live view."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TextIO

from benchrouter.store.states import JobState, Outcome


@dataclass(frozen=True)
class Work:
    """How much a run has to do: images to build, jobs to run, how many of them at once."""

    images: int
    jobs: int
    parallel: int


class Reporter(Protocol):
    """Receives the events of one run, from any thread."""

    def begin(self, work: Work) -> None:
        """Take note of what is to do."""

    def started(self, node: str, timeout: float | None) -> None:
        """Show that a node runs; `timeout` in seconds for a job."""

    def line(self, node: str, text: str) -> None:
        """Show the last line that a running node printed."""

    def ended(self, node: str, outcome: Outcome) -> None:
        """Show how a node ended."""

    def note(self, text: str) -> None:
        """Say something that concerns the run as a whole."""

    def close(self) -> None:
        """Leave the terminal as it was."""


def describe(outcome: Outcome) -> str:
    """Say in a few words how a node ended; what more there is to say stands at the end of the run."""
    if outcome.completed:
        text = outcome.state.value if outcome.overall is None else f"{outcome.state.value} {outcome.overall:.4f}"
        text += f" on {outcome.items} items" if outcome.items and outcome.items.errors else ""
    else:
        text = f"{outcome.state.value} {outcome.reason.word if outcome.reason else ''}".rstrip()
    if outcome.seconds:
        text += f" in {duration(outcome.seconds)}"
    count = len(outcome.warnings)
    return f"{text}, {count} warning{'s' * (count != 1)}" if count else text


def duration(seconds: float) -> str:
    """Write seconds as people do: 0.8 s, 75 s, 12 min, 3 h 05 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60):02d} min"


@dataclass
class PlainReporter:
    """Prints one timestamped line per event: for logs, pipes and CI; `shown` names a node for people."""

    out: TextIO = field(default_factory=lambda: sys.stdout)
    clock: Callable[[], float] = time.time
    shown: Callable[[str], str] = str
    done: int = 0
    jobs: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, work: Work) -> None:
        """Print what is to do."""
        self.jobs = work.jobs
        images = f"{work.images} image{'s' * (work.images != 1)} to build, " if work.images else ""
        at_once = f", {work.parallel} at a time" if work.parallel else ""  # of none that could run here
        self._print(f"{images}{work.jobs} job{'s' * (work.jobs != 1)} to run{at_once}")

    def started(self, node: str, timeout: float | None) -> None:
        """Print that a node runs."""
        self._print(f"{self.shown(node)} started")

    def line(self, node: str, text: str) -> None:
        """Say nothing: a plain log is not flooded with what the tasks print."""

    def ended(self, node: str, outcome: Outcome) -> None:
        """Print how a node ended, jobs with their count."""
        count = ""
        if node.startswith("job:"):
            self.done += 1
            count = f" ({self.done}/{self.jobs})" if self.jobs else ""
        self._print(f"{self.shown(node)} {describe(outcome)}{count}")

    def note(self, text: str) -> None:
        """Print a line about the run."""
        self._print(text)

    def close(self) -> None:
        """Do nothing: there is no terminal state to restore."""

    def _print(self, text: str) -> None:
        stamp = time.strftime("%H:%M:%S", time.localtime(self.clock()))
        with self._lock:
            print(f"{stamp} {text}", file=self.out, flush=True)


def for_terminal(out: TextIO, *, plain: bool, shown: Callable[[str], str]) -> Reporter:
    """Choose the live view on a terminal, plain lines elsewhere."""
    if plain or not out.isatty():
        return PlainReporter(out, shown=shown)
    from benchrouter.make.live import LiveReporter

    return LiveReporter(out, shown)


def is_failure(outcome: Outcome) -> bool:
    """Tell whether the outcome is a failure to explain at the end of the run."""
    return outcome.state is JobState.FAILED
