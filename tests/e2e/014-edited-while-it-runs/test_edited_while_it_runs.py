"""A tree that is edited while its job runs, or its image builds, is not published under the old key."""

from __future__ import annotations

from project import SCORE, Project, wait_until

SLOW = 'touch "$BENCHROUTER_OUTPUT_DIR/started"; sleep 2\n' + SCORE % 0.5


def started(project: Project, count: int) -> bool:
    """Tell whether that many jobs are under way inside their containers."""
    attempts = project.root / "cache" / "attempts"
    return len(list(attempts.glob("*/*/output/started"))) == count


def test_a_job_whose_files_were_edited_runs_again(project: Project) -> None:
    """Edited, edited and put back, a file added through a link out of the task; the fourth task is left alone."""
    tasks = ("edited", "putback", "linked", "untouched")
    root = project.benchmark("b", dict.fromkeys(tasks, SLOW))
    project.write("benchmarks/b/common/data/one.txt", "one")
    (root / "linked" / "data").symlink_to("../common/data")
    running = project.start("run", "model=m", "preflight=0")
    wait_until(lambda: started(project, 4))
    script = root / "putback" / "run.sh"
    text = script.read_text()
    project.write("benchmarks/b/edited/run.sh", text + "#")
    script.write_text(text + "#")
    script.write_text(text)
    project.write("benchmarks/b/common/data/two.txt", "two")
    out, err = running.communicate(timeout=60)
    assert running.returncode == 1, out + err
    states = project.job_states()
    cancelled = {f"b/{task}": "FAILED cancelled" for task in tasks[:3]}
    assert states == {**cancelled, "b/untouched": "COMPLETED"}, out
    assert "changed while the job was running; it runs again next time" in out
    assert [path.parent.name for path in project.artifacts("b")] == ["untouched"]
    assert project.aggregate("b")["coverage"] == {"completed": 1, "declared": 4}

    explained = project.doit("explain", "job:b/putback@m", "model=m").out
    assert "failed before: cancelled: putback/ changed while the job was running" in explained
    second = project.run()
    assert sorted(project.ran(second)) == [f"b/{task}@m" for task in sorted(tasks[:3])]
    assert project.aggregate("b")["overall"] == 0.5
    assert project.ran(project.run()) == []


def test_an_image_whose_context_was_edited_is_built_again(project: Project) -> None:
    """The context changes after the build began: no image keeps the name of the content it may not have."""
    root = project.benchmark(
        "slowbuild",
        {"t": "grep -q one /x/data && " + SCORE % 0.5},
        dockerfile="FROM debian:bookworm-slim\nRUN sleep 1.5\nCOPY . /x\n",
    )
    data = root / "environments" / "slowbuild" / "data"
    data.write_text("one")
    running = project.start("run", "model=m", "preflight=0")
    assert running.stdout is not None
    for line in running.stdout:
        if "image:slowbuild/slowbuild started" in line:
            break
    data.write_text("two")
    data.write_text("one")
    out, err = running.communicate(timeout=60)
    assert running.returncode == 1, out + err
    assert project.job_states() == {"slowbuild/t": "FAILED cancelled"}, out + err
    done = project.run()
    assert project.built(done) == ["slowbuild/slowbuild"] and project.ran(done) == ["slowbuild/t@m"]


def test_a_context_that_is_edited_after_the_build_does_not_blur_what_the_job_records(project: Project) -> None:
    """The image was built from the old context: the job counts, and `explain` names the edit afterwards."""
    root = project.benchmark("b", {"t": SCORE % 0.5}, dockerfile="FROM debian:bookworm-slim\nCOPY . /014\n")
    data = root / "environments" / "b" / "data"
    data.write_text("one")
    project.doit("run", "image:b/b", "model=m")
    running = project.start("run", "model=m", "preflight=0")
    assert running.stdout is not None
    for line in running.stdout:
        if "1 job to run" in line:
            data.write_text("two")
    assert running.wait(60) == 0
    explained = project.doit("explain", "job:b/t@m", "model=m").out
    assert "image b/b changed" in explained
    assert "b/environments/b changed" in explained or "b/environments/b/data changed" in explained, explained


def test_a_task_that_vanishes_before_its_job_starts_is_no_crash(project: Project) -> None:
    """Other jobs finish; the one whose files are gone says so; nothing of ours breaks."""
    root = project.benchmark(
        "b", {"t": SCORE % 0.5, "u": SCORE % 0.5}, dockerfile="FROM debian:bookworm-slim\nRUN sleep 1 # 014\n"
    )
    (root / "t" / "link").symlink_to("../u/run.sh")
    running = project.start("run", "model=m", "preflight=0")
    assert running.stdout is not None
    for line in running.stdout:
        if "image:b/b started" in line:
            (root / "t" / "link").unlink()
            (root / "t" / "link").symlink_to("/etc/hostname")
            break
    out, err = running.communicate(timeout=60)
    assert running.returncode == 1 and "internal error" not in out + err, out + err
    assert project.job_states() == {"b/t": "FAILED cancelled", "b/u": "COMPLETED"}, out
    done = project.doit("run", "model=m")
    assert done.status == 2 and "t/link: links to `/etc/hostname`, outside the benchmark" in done.err
