"""The live view on a terminal: what builds, what runs, how much is done, how long it may still take."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from benchrouter.make.console import OurConsole
from benchrouter.make.interruption import LastingStream
from benchrouter.make.reporter import Work, describe, duration
from benchrouter.store.states import Outcome


@dataclass
class _Running:
    since: float
    timeout: float | None
    last: str = ""


class LiveReporter:
    """Shows running nodes in a table that is redrawn four times a second; what ended scrolls away above it."""

    def __init__(self, out: TextIO, shown: Callable[[str], str] = str) -> None:
        self.console = OurConsole(out)
        self.shown = shown
        self.work = Work(0, 0, 1)
        self.running: dict[str, _Running] = {}
        self.finished: dict[str, int] = {}
        self.began = time.monotonic()
        self.lock = threading.Lock()
        self.live: Live | None = None

    def begin(self, work: Work) -> None:
        """Open the view."""
        self.work = work
        self.began = time.monotonic()
        self.live = Live(
            console=self.console, get_renderable=self._render, refresh_per_second=4, transient=True
        )
        self.live.start()
        for name in ("stdout", "stderr"):  # what is printed meanwhile is shown above the view, read for colours
            setattr(sys, name, LastingStream(getattr(sys, name)))

    def started(self, node: str, timeout: float | None) -> None:
        """Add a row."""
        if node.startswith(("config:", "aggregate:")):
            return
        with self.lock:
            self.running[node] = _Running(time.monotonic(), timeout)

    def line(self, node: str, text: str) -> None:
        """Replace the row's last line."""
        with self.lock:
            if node in self.running:
                self.running[node].last = text

    def ended(self, node: str, outcome: Outcome) -> None:
        """Remove the row and print how the node ended."""
        with self.lock:
            self.running.pop(node, None)
            if node.startswith("job:"):
                self.finished[outcome.state.value] = self.finished.get(outcome.state.value, 0) + 1
        self.console.print(Text.assemble(f"{self.shown(node)} ", (describe(outcome), outcome.state.style)))

    def note(self, text: str) -> None:
        """Print a line above the view."""
        self.console.print(Text(text, style="yellow"))

    def close(self) -> None:
        """Close the view; called again, do nothing."""
        live, self.live = self.live, None
        if live:
            live.stop()

    def _render(self) -> RenderableType:
        now = time.monotonic()
        with self.lock:
            rows = list(self.running.items())
            finished = dict(self.finished)
        table = Table(box=None, pad_edge=False, show_header=False, expand=True)
        table.add_column(no_wrap=True, overflow="ellipsis", ratio=2)
        table.add_column(no_wrap=True, justify="right", min_width=16)
        table.add_column(no_wrap=True, overflow="ellipsis", ratio=3, style="dim")
        for node, row in rows:
            age = duration(now - row.since)
            table.add_row(
                Text(self.shown(node)), f"{age} of {duration(row.timeout)}" if row.timeout else age, Text(row.last)
            )
        return Group(table, self._summary(finished, len(rows), now - self.began))

    def _summary(self, finished: dict[str, int], running: int, elapsed: float) -> RenderableType:
        done = sum(finished.values())
        counts = ", ".join(f"{n} {state}" for state, n in sorted(finished.items())) or "none finished"
        rest = ""
        if done and done < self.work.jobs:
            rest = f", about {duration(elapsed / done * (self.work.jobs - done))} to go"
        bar = ProgressBar(total=max(1, self.work.jobs), completed=done, width=30)
        grid = Table.grid(padding=(0, 1))
        grid.add_row(bar, f"{done}/{self.work.jobs} jobs: {counts}; {running} running{rest}")
        return grid
