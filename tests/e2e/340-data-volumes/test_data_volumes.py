"""Directories that a task asks for by name: bound, part of the key, read-only, kept apart from who writes to them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from project import SCORE, Done, Project, wait_until
from verdicts import document, last_failure

READ = f"""cat /data/hub/fact; touch /data/hub/x 2>&1; {SCORE % 0.5}"""
ASKS = "data: [{name: hub, path: /data/hub}]\n"
HINT = "obtain: {hub: 'sh fetch.sh, then bind it'}\n"
APART = f"""
echo "$BENCHROUTER_OUTPUT_DIR in" >> /data/log; sleep 1; echo "$BENCHROUTER_OUTPUT_DIR out" >> /data/log
{SCORE % 0.5}
"""


@pytest.fixture
def asking(project: Project) -> Project:
    """A benchmark with a task that asks for a volume, and one that does not."""
    root = project.benchmark("b", {"reads": READ, "plain": SCORE % 1})
    with (root / "reads" / "task.yaml").open("a") as file:
        file.write(ASKS)
    with (root / "benchmark.yaml").open("a") as file:
        file.write(HINT)
    return project


def hub(project: Project, name: str = "hub") -> Path:
    """Make a directory with data outside the benchmarks."""
    place = project.root.parent / name
    place.mkdir()
    (place / "fact").write_text("6 x 7\n")
    return place


def bind(project: Project, **volumes: str) -> None:
    """Bind volumes, each to what stands between the braces."""
    lines = "".join(f"  {name}: {{{text}}}\n" for name, text in volumes.items())
    (project.root / "benchrouter.yaml").write_text(f"data:\n{lines}")


def reads(project: Project) -> Path:
    """Give the newest artifact of the task that reads."""
    return max(project.artifacts("b", "reads"), key=lambda path: path.stat().st_mtime_ns)


def test_one_that_is_not_bound_is_named_before_anything_starts(asking: Project) -> None:
    bind(asking, hubb="path: /srv, identity: x")
    told = "data volume `hub` is not bound (did you mean `hubb`?); write `data: {hub: {path: …, identity: …}}` into"
    hint = "benchrouter.local.yaml; to get it: sh fetch.sh, then bind it"
    plan = asking.doit("plan", "model=m")
    assert plan.status == 0 and f"missing for 1 job: {told} {hint}" in plan.out, plan.text
    strict = asking.doit("run", "model=m", "preflight=0", "strict=1")
    assert strict.status == 1 and "strict=1: not started, since images or data are missing" in strict.err
    done = asking.run(status=1)
    before, _, _ = done.out.partition("job:b/plain@m started")
    assert f"missing for 1 job: {told} {hint}" in before
    job = document(last_failure(asking, "b", "reads") / "job.json")
    assert (job["reason"], job["detail"]) == ("unsupported", f"{told} {hint}")
    assert asking.job_states()["b/plain"] == "COMPLETED"
    assert asking.due() == ["b/reads@m"]


def test_one_whose_directory_is_not_there_is_named_too(asking: Project) -> None:
    for place, said in (("nowhere", "is not there"), ("benchrouter.yaml", "is no directory")):
        bind(asking, hub=f"path: {place}, identity: x")
        asking.run("tasks=reads", status=1)
        detail = document(last_failure(asking, "b", "reads") / "job.json")["detail"]
        assert detail == f"data volume `hub`: {asking.root / place} {said}; to get it: sh fetch.sh, then bind it"


def test_the_task_reads_it_and_only_its_identity_counts(asking: Project) -> None:
    place = hub(asking)
    bind(asking, hub=f"path: {place}, identity: 2026-05-01")
    plan = asking.doit("plan", "model=m")
    assert f"data: hub is {place}, identity 2026-05-01 (1 job)" in plan.out, plan.text
    asking.run()
    log = (reads(asking) / "logs" / "stdout.log").read_text()
    assert log.startswith("6 x 7\n") and "Read-only file system" in log
    assert document(reads(asking) / "job.json")["inputs"]["data"] == {"hub": "2026-05-01"}
    known = document(reads(asking) / "provenance.json")["data"]
    assert known == {"hub": {"path": str(place), "identity": "2026-05-01"}}

    moved = place.rename(place.with_name("elsewhere"))
    (moved / "fact").write_text("42\n")
    bind(asking, hub=f"path: {moved}, identity: 2026-05-01")
    assert asking.due() == []
    bind(asking, hub="identity: 2026-05-01")  # not here, but it is known what was asked
    assert asking.due() == []

    bind(asking, hub=f"path: {moved}, identity: 2026-06-01")
    assert asking.due() == ["b/reads@m"]
    why = asking.doit("explain", "job:b/reads@m", "model=m").out
    assert "data volume hub changed: 2026-05-01 -> 2026-06-01" in why
    asking.run()
    assert (reads(asking) / "logs" / "stdout.log").read_text().startswith("42\n")


def test_an_identity_of_content_follows_the_files(asking: Project) -> None:
    place = hub(asking)
    bind(asking, hub=f"path: {place}, identity: content")
    asking.run()
    assert asking.due() == []
    os.utime(place / "fact", (1, 1))
    assert asking.due() == []
    (place / "more").write_text("8 x 9\n")
    assert asking.due() == ["b/reads@m"]
    os.mkfifo(place / "pipe")
    asking.run(status=1)
    detail = document(last_failure(asking, "b", "reads") / "job.json")["detail"]
    assert f"data volume `hub`: {place}/pipe is a FIFO" in detail


def test_content_that_changes_under_a_job_is_no_result(asking: Project) -> None:
    place = hub(asking)
    asking.write("benchmarks/b/reads/run.sh", f"touch $BENCHROUTER_OUTPUT_DIR/up; sleep 3; {SCORE % 0.5}")
    bind(asking, hub=f"path: {place}, identity: content")
    process = asking.start("run", "model=m", "preflight=0", "tasks=reads")
    attempts = asking.root / "cache" / "attempts"
    wait_until(lambda: any(attempts.glob("*/*/output/up")))
    (place / "fact").write_text("43\n")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1, out + err
    job = document(last_failure(asking, "b", "reads") / "job.json")
    assert job["reason"] == "cancelled"
    assert job["detail"] == "data volume `hub` changed while the job was running; it runs again next time"


def test_jobs_that_write_to_one_are_kept_apart(project: Project, second_project: Project) -> None:
    """Four jobs of two workspaces at once: one after the other, whoever started them."""
    shared = project.root.parent / "shared"
    shared.mkdir()
    for each in (project, second_project):
        asks = "data: [{name: log, path: /data, writable: true}]\n"
        each.benchmark("b", {"one": APART, "two": APART}, task_yaml=asks)
        bind(each, log=f"path: {shared}, identity: any")
    plan = project.doit("plan", "model=m").out
    assert f"data: log is {shared}, identity any, written to by one job at a time (2 jobs)" in plan
    running = [each.start("run", "-n", "4", "model=m", "preflight=0") for each in (project, second_project)]
    ended = [Done(process.wait(120), *process.communicate()) for process in running]
    assert [done.status for done in ended] == [0, 0], ended
    words = [line.split()[1] for line in (shared / "log").read_text().splitlines()]
    assert words == ["in", "out"] * 4


def test_content_cannot_be_the_identity_of_what_is_written_to(project: Project) -> None:
    project.benchmark("b", {"t": SCORE % 1}, task_yaml="data: [{name: log, path: /data, writable: true}]\n")
    bind(project, log="path: /srv, identity: content")
    done = project.doit("run", "model=m", "preflight=0")
    task = project.root / "benchmarks" / "b" / "t"
    told = f"`data.log.identity`: found `content`, but {task} writes to it; declare a text of your own"
    assert (done.status, done.err.strip()) == (2, f"doit: {project.root}/benchrouter.yaml:2: {told}")


def test_by_hand_the_person_says_where_it_is(asking: Project, tmp_path: Path) -> None:
    place = hub(asking, "a place")
    bind(asking, hub=f"path: '{place}', identity: x")
    asking.write("benchmarks/b/reads/run.sh", f"cat /data/hub/fact; {SCORE % 0.5}; exit 3")
    environment = {"BENCHROUTER_MODEL_ENDPOINT": "http://127.0.0.1:9/v1"}
    done = asking.run("tasks=reads", status=1, env=environment)
    advice = next(line for line in done.out.splitlines() if line.startswith("  repeat: "))
    command = advice.removeprefix("  repeat: ")
    assert command.startswith(f"BENCHROUTER_DATA_HUB='{place}' sh ")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("BENCHROUTER_")}
    for shell, status, said in ((command, 3, "6 x 7"), (command.partition("' ")[2], 2, "data volume hub")):
        where = tmp_path / str(status)
        where.mkdir()
        hand = subprocess.run(
            ["sh", "-c", shell], cwd=where, env={**clean, **environment}, capture_output=True, text=True, check=False
        )
        assert hand.returncode == status and said in hand.stdout + hand.stderr, hand
