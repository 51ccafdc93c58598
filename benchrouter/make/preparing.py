"""What a run finds out before its first job: endpoints that do not answer, images that cannot be had."""

from __future__ import annotations

from benchrouter.engine.available import can_pull
from benchrouter.engine.bases import alias_of, lacking, present
from benchrouter.engine.build import ca_bundle, check_secrets
from benchrouter.engine.errors import EngineError
from benchrouter.graph.admission import parallelism
from benchrouter.make.obtaining import hint, with_hint
from benchrouter.make.passing import unset_names
from benchrouter.make.reporter import Work
from benchrouter.make.run import Run
from benchrouter.make.variables import UsageError
from benchrouter.make.voice import complain
from benchrouter.scores.table import SHORT, one_line


def prepare(run: Run) -> bool:
    """Ask the endpoints, list images that cannot be had, show what is to do; False when `strict` forbids a start.

    Raises UsageError for facts of the site with which nothing may be built or run, ModelError for answers of the
    demo model that cannot be used.
    """
    session = run.session
    due = session.due_jobs
    check_site(run)
    named_configs = any(word.startswith("config") for word in session.named)
    run.endpoints.read_answers(session.graph.jobs if named_configs else due)
    if due and run.engine is None:
        run.reporter.note(f"no engine: {run.engine_fault}")
    for line in (*session.unsupported.lines(), *session.lacking.lines()):
        run.reporter.note(line)
    models = tuple({job.model.name: job.model for job in due}.values())
    if session.variables.preflight:
        run.endpoints.check(models)
    for line in unset_names(session):
        run.reporter.note(line)
    missing = missing_bases(run)
    for ref, why in missing.items():
        told = hint(session, ref)
        text = f"missing: {ref} for {', '.join(_users(run, ref))}: {one_line(why, SHORT)}"
        run.reporter.note(with_hint(text, told))
        run.images.give_up(ref, lacking(ref, f"cannot pull {ref}: {why}", session.sources.settings.site, told))
    if session.variables.strict and (missing or any(map(session.lacking.of, due))):
        complain("strict=1: not started, since images or data are missing")
        return False
    demands = [run.demand(job.name) for job in session.needs.jobs]
    images = len(run.images.buildable())
    archived = len(session.needs.missing) - len(session.needs.to_build)
    if archived:
        run.reporter.note(f"{archived} image{'s' * (archived != 1)} from the archive")
    if images or due:
        run.reporter.begin(Work(images, len(due), parallelism(run.admission, demands)))
    return True


def check_site(run: Run) -> None:
    """Raise UsageError where the site's CA bundle cannot be read, or a password could end in an image."""
    session, site = run.session, run.session.sources.settings.site
    try:
        if session.due_jobs or session.needs.to_build:
            ca_bundle(site)
        if run.engine is not None and session.needs.to_build:
            check_secrets(run.engine, site)
    except EngineError as error:
        raise UsageError(str(error)) from None


def missing_bases(run: Run) -> dict[str, str]:
    """Find the needed images from outside that neither engine, archive, alias nor registry has, and why.

    Where the engine fails meanwhile, nothing is said to be missing: getting the image will tell.
    """
    engine, site = run.engine, run.session.sources.settings.site
    if engine is None:
        return {}
    missing: dict[str, str] = {}
    for ref in run.session.needs.bases:
        try:
            alias = alias_of(ref, site)
            if any(name and (present(engine, name) or run.archive.has(name)) for name in (ref, alias)):
                continue
            why = can_pull(engine, ref, site)
        except EngineError:
            continue
        if why:
            missing[ref] = why
    return missing


def _users(run: Run, ref: str) -> list[str]:
    session = run.session
    images = [image.label for image in session.needs.to_build.values() if ref in image.bases]
    tasks = [f"{job.id.benchmark}/{job.id.task}" for job in session.due_jobs if ref in job.uses]
    return list(dict.fromkeys([*images, *tasks]))
