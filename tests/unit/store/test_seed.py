from __future__ import annotations

from benchrouter.store.jobid import JobId
from benchrouter.store.results import completed, find
from benchrouter.store.seed import SeedJob, seed_completed
from benchrouter.store.workspace import Workspace

JOBS = [SeedJob(JobId("s000", f"t{n}", "m"), f"{n:032x}", n / 20, {"tree": str(n)}) for n in range(20)]


def test_seeded_jobs_are_completed_as_if_they_had_run(ws: Workspace) -> None:
    assert seed_completed(ws, JOBS) == 20
    found = completed(ws, [(job.id, job.key) for job in JOBS])
    assert [found[job.id].overall for job in JOBS] == [job.overall for job in JOBS]
    assert not list((ws.cache / "attempts").iterdir())


def test_seeding_again_changes_nothing(ws: Workspace) -> None:
    seed_completed(ws, JOBS)
    before = find(ws, JOBS[3].id, JOBS[3].key)
    assert seed_completed(ws, JOBS, durable=True) == 0
    assert find(ws, JOBS[3].id, JOBS[3].key) == before
