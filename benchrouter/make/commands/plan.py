"""`doit plan`: what `doit run` would do and why, without doing or writing anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchrouter.engine.errors import EngineError
from benchrouter.graph.admission import Admission, parallelism
from benchrouter.graph.demand import demand_of
from benchrouter.graph.nodes import JobNode
from benchrouter.make.commands.guard import OK
from benchrouter.make.commands.plain import PlainCommand
from benchrouter.make.commands.run import OPT_SLOTS
from benchrouter.make.endpoints import without_endpoint
from benchrouter.make.passing import unset_names
from benchrouter.make.plan_images import image_lines
from benchrouter.make.session import Session, doit_variables
from benchrouter.make.surroundings import memory_line, surrounding_lines
from benchrouter.make.volumes import volume_lines
from benchrouter.make.why import lines_of, why_job

_SHOWN = 40


class Plan(PlainCommand):
    """Shows images to build and jobs to run with their causes, parallelism, networks, privileges."""

    doc_purpose = "show what `run` would do and why; starts nothing, writes nothing"
    doc_usage = "[model=NAME,...] [bench=...] [tasks=...] [VARIABLE=value]"
    cmd_options = (OPT_SLOTS,)

    def answer(self, options: Any, args: list[str]) -> int:
        """Print the plan."""
        session = Session.begin(doit_variables(), named=args)
        session.require_model()
        session.require_benchmarks()
        session.check_names()
        for line in plan_lines(session, options["num_process"]):
            print(line)
        return OK


def plan_lines(session: Session, slots: int) -> Iterator[str]:
    """Lay out the plan as lines of text."""
    for problem in session.sources.warnings:
        yield str(problem)
    due, total = session.due_jobs, len(session.graph.jobs)
    if not due:
        yield f"jobs: all {total} up to date"
    else:
        yield from image_lines(session)
        yield f"jobs: {len(due)} of {total} to run"
        for job in due[:_SHOWN]:
            yield f"  {session.shown(job.name)}"
            yield from lines_of(why_job(session, job), "    ")
        if len(due) > _SHOWN:
            yield f"  ... and {len(due) - _SHOWN} more"
        yield from session.unsupported.lines()
        yield from session.lacking.lines()
        yield from to_set(session)
        if session.needs.jobs:
            yield from conditions(session, session.needs.jobs, slots)
    stale = [node.name for node in session.stale_aggregates]
    yield f"aggregates: {len(stale)} to write" if stale else "aggregates: up to date"
    for name in stale[:_SHOWN]:
        yield f"  {session.shown(name)}"


def to_set(session: Session) -> Iterator[str]:
    """Say which variables are to be set, whatever else the due jobs lack."""
    yield from (f"to do before a run: {text}" for text in unset_names(session))


def conditions(session: Session, due: tuple[JobNode, ...], slots: int) -> Iterator[str]:
    """Say under which conditions jobs would run: how many at once, memory, networks, rights."""
    import psutil

    memory = psutil.virtual_memory().total
    site = session.sources.settings.site
    models = {m.name: m.max_concurrency for m in session.sources.ask.models if m.max_concurrency}
    demands = [demand_of(job, site.limits, memory, slots) for job in due]
    gpus = max((demand.gpus for demand in demands), default=0)
    admission = Admission(slots, memory, gpus, site.build_parallel, models)
    at_once = parallelism(admission, demands)
    yield f"parallelism: {at_once} job{'s' * (at_once != 1)} at a time (-n {slots}, {memory / 2**30:.0f} GiB of memory)"
    yield from (f"to do before a run: {fault}" for fault in without_endpoint(session))
    yield f"memory: {memory_line(due, demands, site.limits)}"
    yield from volume_lines(session, due)
    yield from surrounding_lines(due, _daemons(session) if any(job.facts.docker for job in due) else "")


def _daemons(session: Session) -> str:
    """Say with which rights a task's own daemon would run, if an engine answers at once."""
    from benchrouter.engine.client import Engine
    from benchrouter.engine.dind.daemons import planned_choice

    try:
        engine = Engine.connect(session.sources.settings.site.engine, 1.0)
        try:
            return f", {planned_choice(engine.info)}"
        finally:
            engine.close()
    except EngineError:
        return " (engine not asked)"

