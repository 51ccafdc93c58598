"""One command's view of the graph: variables, sources, nodes, and what the store holds of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from benchrouter.graph.build import Graph, build
from benchrouter.graph.nodes import AggregateNode, JobNode
from benchrouter.graph.words import for_people, meant
from benchrouter.make import sources as reading
from benchrouter.make.needs import Needs
from benchrouter.make.nodes import KINDS, unknown_nodes
from benchrouter.make.obtaining import Lacking
from benchrouter.make.standing import Standing
from benchrouter.make.unsupported import Unsupported
from benchrouter.make.variables import UsageError, Variables, parse, repeated
from benchrouter.scores.aggregate import Aggregate
from benchrouter.spec.names import encode
from benchrouter.store.failures import last_failure
from benchrouter.store.jobid import JobId
from benchrouter.store.results import CompletedJob, FailedAttempt, completed
from benchrouter.store.workspace import Workspace

if TYPE_CHECKING:
    from benchrouter.make.run import Run

NO_MODEL = """no model given. Type for example

    doit run model=demo          the embedded demo model, no key needed
    doit run model=gpt-4o        with BENCHROUTER_MODEL_ENDPOINT and OPENAI_API_KEY set

or set BENCHROUTER_MODEL_NAME. `doit list --all` shows the images, `doit help` the commands."""


@dataclass
class Session:
    """Reads on demand and remembers; `named` are nodes given on the command line, `always` reruns everything.

    `pruned` sessions show doit only what is not up to date; `may_write` ones may save caches; in `only_failed` ones
    nothing else is stale than what has failed under its present key; `lenient` ones name benchmarks that cannot be
    read, and do without them.
    """

    ws: Workspace
    variables: Variables
    cwd: Path
    environ: Mapping[str, str]
    named: Sequence[str] = ()
    pruned: bool = False
    always: bool = False
    may_write: bool = False
    whole: bool = False
    only_failed: bool = False
    lenient: bool = False
    fresh: dict[JobId, CompletedJob] = field(default_factory=dict)
    live: Run | None = None

    @classmethod
    def begin(
        cls,
        given: Mapping[str, str],
        *,
        environ: Mapping[str, str] = os.environ,
        named: Sequence[str] = (),
        pruned: bool = False,
        always: bool = False,
        may_write: bool = False,
        whole: bool = False,
        only_failed: bool = False,
        lenient: bool = False,
    ) -> Session:
        """Parse the variables and find the workspace; raise UsageError or StoreError."""
        # doit has changed into the directory of dodo.py; the wrapper says where the person stands.
        cwd = Path(environ.get("BENCHROUTER_CWD") or Path.cwd())
        ws = Workspace.find(Path.cwd())
        variables = parse(given, environ)
        pruned = pruned and not named
        return cls(ws, variables, cwd, environ, named, pruned, always, may_write, whole, only_failed, lenient)

    def require_model(self) -> None:
        """Raise UsageError that says what to type when no model is given."""
        if not self.variables.models:
            raise UsageError(NO_MODEL)

    @cached_property
    def sources(self) -> reading.Sources:
        """Settings, benchmarks and environments, read once."""
        loaded = reading.load(
            self.ws, self.variables, self.environ, self.cwd, self.named, whole=self.whole, lenient=self.lenient
        )
        for each in loaded.left_out:
            print(each, file=sys.stderr)
        if self.may_write:
            loaded.save_caches()
        return loaded

    @cached_property
    def graph(self) -> Graph:
        """All nodes that the variables ask for."""
        loaded = self.sources
        return build(loaded.ask, loaded.selected, loaded.environments)

    @cached_property
    def completed(self) -> dict[JobId, CompletedJob]:
        """What the store held at the start."""
        pairs = [(job.id, job.key) for job in self.graph.jobs]
        return completed(self.ws, pairs, remember=self.may_write)

    @cached_property
    def stale_jobs(self) -> tuple[JobNode, ...]:
        """Jobs that have to run, in order; all of them in an `always` session."""
        done = {} if self.always else self.completed
        stale = tuple(job for job in self.graph.jobs if job.id not in done)
        return tuple(job for job in stale if self._has_failed(job)) if self.only_failed else stale

    def _has_failed(self, job: JobNode) -> bool:
        return last_failure(self.ws, job.id, job.key) is not None

    @cached_property
    def stale_ids(self) -> frozenset[JobId]:
        """Identities of the stale jobs."""
        return frozenset(job.id for job in self.stale_jobs)

    @cached_property
    def due_jobs(self) -> tuple[JobNode, ...]:
        """Stale jobs that this command runs: all, or those that the named nodes mean."""
        return tuple(job for job in self.asked_jobs if job.id in self.stale_ids)

    @cached_property
    def asked_jobs(self) -> tuple[JobNode, ...]:
        """Jobs that this command is about, up to date or not: all, or those that the named nodes mean."""
        if not self.named:
            return self.stale_jobs if self.only_failed else self.graph.jobs
        return tuple(job for job in self.graph.jobs if any(self._means(word, job) for word in self.named))

    @staticmethod
    def _means(word: str, job: JobNode) -> bool:
        names = (job.name, f"aggregate:{job.id.benchmark}@{encode(job.id.model)}", "job", "aggregate")
        return bool(meant(word, names, (job.id.model,)))

    def shown(self, node: str) -> str:
        """Name a node for people."""
        return for_people(node, self.variables.models)

    def require_benchmarks(self) -> None:
        """Raise UsageError when no benchmark is selected and none but our nodes are meant: that is no success."""
        ours = not self.named or any(word.partition(":")[0] in KINDS for word in self.named)
        if ours and self.sources.nothing:
            raise UsageError(self.sources.nothing)

    def check_names(self, commands: Iterable[str] | None = ()) -> None:
        """Raise UsageError for named nodes that match nothing, with the nearest node or command.

        With None only nodes of our kinds are checked: other words are doit's business.
        """
        faults = unknown_nodes(self, commands)
        if faults:
            raise UsageError("\n".join(faults))

    @cached_property
    def needs(self) -> Needs:
        """What the due jobs need of images, bases and archive."""
        return Needs(self)

    @cached_property
    def unsupported(self) -> Unsupported:
        """Which of the jobs cannot run on this machine, and why."""
        return Unsupported(self)

    @cached_property
    def lacking(self) -> Lacking:
        """What benchmarks do not bring, and is not here."""
        return Lacking(self)

    @property
    def runs(self) -> bool:
        """Tell whether the command runs nodes, rather than listing them."""
        return self.live is not None

    @property
    def run(self) -> Run:
        """The run that the actions belong to."""
        if self.live is None:
            raise UsageError("this action belongs to `doit run`")
        return self.live

    @cached_property
    def failures(self) -> dict[JobId, FailedAttempt]:
        """The newest failed attempt, under its present key, of each stale job."""
        found = {job.id: last_failure(self.ws, job.id, job.key) for job in self.stale_jobs}
        return {ident: attempt for ident, attempt in found.items() if attempt is not None}

    @property
    def known_failures(self) -> dict[JobId, FailedAttempt]:
        """Failed attempts of jobs that are not completed: of earlier runs, and of this one."""
        return {**self.failures, **(self.live.jobs.failures if self.live else {})}

    @cached_property
    def standing(self) -> Standing:
        """What aggregates say, and whether their files do."""
        return Standing(self)

    def is_stale(self, node: AggregateNode) -> bool:
        """Tell whether an aggregate has to be written."""
        return self.standing.is_stale(node)

    @cached_property
    def stale_aggregates(self) -> tuple[AggregateNode, ...]:
        """Aggregates that have to be written."""
        return tuple(node for node in self.graph.aggregates if self.is_stale(node))

    def score(self, node: AggregateNode, failures: Mapping[JobId, FailedAttempt]) -> Aggregate:
        """Compute an aggregate from what is completed, and from the failed attempts given for the rest."""
        return self.standing.score(node, failures)


_SESSION: ContextVar[Session] = ContextVar("session")
# doit runs one command per process and hands its variables around in a module of its own; the session follows suit.


def announce(session: Session) -> None:
    """Make a command's session the one that dodo.py sees."""
    _SESSION.set(session)


def current() -> Session:
    """Give the session of the running command; doit's own commands (list, info) get one that shows everything."""
    try:
        return _SESSION.get()
    except LookupError:
        session = Session.begin(doit_variables(), whole=True)
        announce(session)
        return session


def doit_variables() -> dict[str, str]:
    """Read the variables that doit found on its command line; raise UsageError for one that is given twice.

    doit keeps the last value only, so the words themselves are looked at.
    """
    from doit import doit_cmd

    given = dict(doit_cmd._CMDLINE_VARS or {})
    twice = repeated(sys.argv[1:], given)
    if twice:
        raise UsageError("\n".join(twice))
    return given
