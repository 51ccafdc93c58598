"""The graph of evaluations, as doit sees it.

    base ──► image ──► tar ─┐
               │            ├─► job ──► aggregate
            config ─────────┘

`doit list --all` names the nodes, `doit plan model=demo` says what would run and why, docs/architecture.md explains
the rest. Each creator below yields one doit task per node; what is up to date is decided by the artifacts on disk.
"""

from benchrouter.make import CONFIG, Recipes

DOIT_CONFIG = CONFIG
make = Recipes()


def task_base():
    """get a base image into the engine"""
    for base in make.bases():
        yield {
            "name": base.ref,
            "actions": [(make.get_base, [base])],
        }


def task_image():
    """build an environment's image, once per distinct content"""
    for image in make.images():
        yield {
            "name": image.label,
            "actions": [(make.build_image, [image])],
            "task_dep": make.needs_of_image(image),
            "uptodate": [make.image_is_there(image)],
        }


def task_tar():
    """keep an image in the archive: what tasks preload, and with cache=1 all of them"""
    for tar in make.tars():
        yield {
            "name": tar.label,
            "actions": [(make.archive_image, [tar])],
            "task_dep": make.needs_of_tar(tar),
            "uptodate": [make.image_is_archived(tar)],
        }


def task_config():
    """render a job's run configuration: readable, and re-runnable by hand"""
    for job in make.jobs():
        yield {
            "name": job.label,
            "actions": [(make.render_config, [job])],
        }


def task_job():
    """run one task against one model, in a container"""
    for job in make.jobs():
        yield {
            "name": job.label,
            "actions": [(make.run_job, [job])],
            "task_dep": make.needs_of_job(job),
            "uptodate": [make.job_is_done(job)],
        }


def task_aggregate():
    """aggregate the scores of a benchmark and model; without a name: of all"""
    for aggregate in make.aggregates():
        yield {
            "name": aggregate.label,
            "actions": [(make.write_aggregate, [aggregate])],
            "task_dep": make.needs_of_aggregate(aggregate),
            "uptodate": [make.aggregate_is_written(aggregate)],
        }
