"""What doit reports, reduced to what our own reporter does not know already: bugs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from benchrouter.make.reporter import Reporter


class Bridge:
    """The class that doit's runner talks to; a failure that reaches it is a fault of ours, not of a job."""

    def __init__(self, reporter: Reporter, shown: Callable[[str], str]) -> None:
        self._reporter = reporter
        self._shown = shown
        self._up_to_date = 0

    def initialize(self, tasks: Any, selected_tasks: Any) -> None:
        """Need nothing of the tasks."""

    def get_status(self, task: Any) -> None:
        """Say nothing while doit checks."""

    def execute_task(self, task: Any) -> None:
        """Say nothing: the actions report themselves."""

    def add_success(self, task: Any) -> None:
        """Say nothing: the actions report themselves."""

    def skip_uptodate(self, task: Any) -> None:
        """Name a node that was asked for by name and is up to date."""
        if task.actions:
            self._reporter.note(f"{self._shown(task.name)} is up to date")

    def skip_ignore(self, task: Any) -> None:
        """Name a node that the person told doit to ignore."""
        self._reporter.note(f"{self._shown(task.name)} is ignored (`doit ignore`)")

    def add_failure(self, task: Any, fail: Any) -> None:
        """Show a bug of ours with its traceback."""
        self._reporter.note(f"{task.name}: internal error, please report it")
        print(fail.get_msg(), file=sys.stderr)

    def cleanup_error(self, exception: Any) -> None:
        """Show a bug of ours."""
        print(exception.get_msg(), file=sys.stderr)

    def runtime_error(self, msg: str) -> None:
        """Show what doit says of the graph."""
        print(msg, file=sys.stderr)

    def teardown_task(self, task: Any) -> None:
        """Have no teardown."""

    def complete_run(self) -> None:
        """Leave the summary to the run."""
