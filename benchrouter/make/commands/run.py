"""`doit run`: bring the scores up to date. Ours, because of pruning, signals, admission and exit status."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from doit.cmd_run import Run as DoitRun
from doit.cmd_run import opt_always
from doit.control import TaskControl

from benchrouter.make.aggregates import mark_as_asked
from benchrouter.make.commands.guard import INTERRUPTED, NOT_ALL_COMPLETED, OK, guarded
from benchrouter.make.commands.mistakes import ReadsWithCare
from benchrouter.make.interruption import end_like_ctrl_c
from benchrouter.make.nodes import KINDS, in_own_words, known_nodes
from benchrouter.make.session import Session, announce, doit_variables
from benchrouter.make.variables import STEERING, UsageError
from benchrouter.make.voice import json_out
from benchrouter.store.journal import dead_owners
from benchrouter.store.problems import Unwritable

if TYPE_CHECKING:
    from benchrouter.make.view import View

OPT_SLOTS = {
    "name": "num_process",
    "short": "n",
    "long": "process",
    "type": int,
    "default": 8,
    "help": "how many jobs run at once [default: 8]",
}
OPT_PLAIN = {
    "name": "plain",
    "long": "plain",
    "type": bool,
    "default": False,
    "help": "print plain lines instead of the live view",
}
OPT_FAILED = {
    "name": "failed",
    "long": "failed",
    "type": bool,
    "default": False,
    "help": "run only the jobs that have failed before",
}
OPT_JSON = {
    "name": "json",
    "long": "json",
    "type": bool,
    "default": False,
    "help": "print JSON lines: events, then the result",
}


class Run(ReadsWithCare, DoitRun):  # type: ignore[misc]
    """Runs what is not up to date; nodes named on the command line are looked at even when they are."""

    doc_purpose = "run what is not up to date, then show the scores"
    doc_usage = "[NODE ...] [model=NAME,...] [bench=...] [tasks=...] [VARIABLE=value]"
    doc_description = "\n".join(
        ["Variables; those in capitals go into the environment of the jobs:"]
        + [f"{name}= {meaning}" for name, meaning in STEERING.items()]
    )
    cmd_options = (opt_always, OPT_SLOTS, OPT_PLAIN, OPT_FAILED, OPT_JSON)

    def execute(self, params: Any, args: list[str]) -> int:
        """Prepare the session, then let doit load dodo.py and run it."""
        end_like_ctrl_c()
        return guarded(lambda: self._guarded(params, args))

    def _guarded(self, params: Any, args: list[str]) -> int:
        if params["num_process"] < 1:
            raise UsageError(f"-n {params['num_process']}: expected a whole number of at least 1")
        session = Session.begin(
            doit_variables(),
            named=args,
            pruned=True,
            always=params["always"],
            may_write=True,
            only_failed=params["failed"],
        )
        if not args or any(word.startswith(("job", "aggregate", "config")) for word in args):
            session.require_model()
        session.check_names(self._other_names(params))
        try:
            return self._recorded(session, params, args)
        except Unwritable as error:
            if session.due_jobs or session.needs.images or session.variables.refresh:
                raise
            self._view(params, session).settled(session)
            print(f"nothing had to run, and nothing was recorded: {error}", file=sys.stderr)
            return OK

    def _recorded(self, session: Session, params: Any, args: list[str]) -> int:
        """Run in a workspace that can be written; raise Unwritable in any other, before anything is made."""
        session.ws.ensure()
        announce(session)
        dead = dead_owners(session.ws)
        if not dead:
            return self._bring_up_to_date(session, params, args)
        from benchrouter.make.sweeping import swept_up

        with swept_up(session, dead, lambda text: print(text, file=sys.stderr)):
            return self._bring_up_to_date(session, params, args)

    def _bring_up_to_date(self, session: Session, params: Any, args: list[str]) -> int:
        for problem in session.sources.warnings:
            print(problem, file=sys.stderr)
        session.require_benchmarks()
        if not args:
            mark_as_asked(session)
        if (
            not args
            and not session.stale_jobs
            and not session.stale_aggregates
            and not session.variables.refresh
        ):
            if session.only_failed:
                print("no job has failed under its present inputs", file=sys.stderr)
            self._view(params, session).settled(session)
            return OK
        return self._live(session, params, args)

    def _other_names(self, params: Any) -> list[str] | None:
        """List what else may be named: our commands, for one that is misspelt; None where dodo.py has other tasks."""
        self.loader.setup(params)
        kinds = {name.removeprefix("task_") for name in self.loader.namespace if name.startswith("task_")}
        return self.loader.cmd_names if kinds <= set(KINDS) else None

    def _live(self, session: Session, params: Any, args: list[str]) -> int:
        from benchrouter.make.endpoints import require_endpoints
        from benchrouter.make.finishing import finish
        from benchrouter.make.lifetime import living_run
        from benchrouter.make.preparing import prepare

        require_endpoints(session)
        view = self._view(params, session)
        with living_run(session, view.reporter, slots=params["num_process"]) as run:
            if not prepare(run):
                return NOT_ALL_COMPLETED
            super().execute(params, in_own_words(args, known_nodes(session), session.variables.models))
        completed = finish(run, view)
        if run.stop.is_set():
            return INTERRUPTED
        return OK if completed else NOT_ALL_COMPLETED

    @staticmethod
    def _view(params: Any, session: Session) -> View:
        from benchrouter.make.view import JsonView, TextView

        if params["json"]:
            return JsonView(json_out() or sys.stdout)
        return TextView(sys.stdout, plain=params["plain"], shown=session.shown)

    def _execute(self, always: bool) -> int:
        """Run the tasks that doit selected, as our runner admits them."""
        from doit.task import Stream

        from benchrouter.make.doit_reporter import Bridge
        from benchrouter.make.runner import SlotRunner
        from benchrouter.make.session import current

        run = current().run
        self.control = TaskControl(self.task_list)
        self.control.process(self.sel_tasks)
        runner = SlotRunner(
            self.dep_manager,
            Bridge(run.reporter, run.session.shown),
            True,
            False,
            Stream(2),
            admission=run.admission,
            gate=run,
            stop=run.stop,
            wake=run.wake,
        )
        try:
            status: int = runner.run_all(self.control.task_dispatcher())
        finally:
            run.busy = runner.running
        run.internal_failure = status != 0
        return status
