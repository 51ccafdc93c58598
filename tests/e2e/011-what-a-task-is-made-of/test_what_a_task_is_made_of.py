"""Each kind of change in a task's tree runs its job again and no other, and `explain` names what changed."""

from __future__ import annotations

import os
from pathlib import Path

from project import SCORE, Project

SCRIPT = SCORE % 0.5
TASKS = (
    "script", "added", "removed", "emptydir", "execbit", "linktarget",
    "outside", "outsidedir", "samestat", "spec", "image", "untouched",
)  # fmt: skip


def prepare(project: Project) -> Path:
    """Write a benchmark with one task per kind of change."""
    root = project.benchmark("b", dict.fromkeys(TASKS, SCRIPT))
    project.write("benchmarks/b/common/shared.txt", "one\n")
    project.write("benchmarks/b/common/dir/inner.txt", "one\n")
    project.write("benchmarks/b/removed/old.txt", "x")
    (root / "linktarget" / "link").symlink_to("first")
    (root / "outside" / "shared.txt").symlink_to("../common/shared.txt")
    (root / "outsidedir" / "dir").symlink_to("../common/dir")
    project.write("benchmarks/b/samestat/data.txt", "aaaa")
    project.write("benchmarks/b/image/task.yaml", "name: x\ncommand: sh run.sh\nextra_env: {A: one}\n")
    # What the container sees of the links that lead out of the task is what its score says.
    for task, path in (("outside", "shared.txt"), ("outsidedir", "dir/inner.txt")):
        text = f"grep -q one {path} && score=0.25 || score=0.75\n" + (SCORE % "'$score'")
        project.write(f"benchmarks/b/{task}/run.sh", text)
    return root


def change(project: Project, root: Path) -> dict[str, str]:
    """Make one change per task; give what `explain` has to say about each."""
    project.write("benchmarks/b/script/run.sh", SCRIPT + "#")
    project.write("benchmarks/b/added/new.txt", "x")
    (root / "removed" / "old.txt").unlink()
    (root / "emptydir" / "empty").mkdir()
    (root / "execbit" / "run.sh").chmod(0o755)
    (root / "linktarget" / "link").unlink()
    (root / "linktarget" / "link").symlink_to("second")
    project.write("benchmarks/b/common/shared.txt", "two\n")
    project.write("benchmarks/b/common/dir/inner.txt", "two\n")
    before = (root / "samestat" / "data.txt").stat()
    (root / "samestat" / "data.txt").write_text("bbbb")
    os.utime(root / "samestat" / "data.txt", ns=(before.st_atime_ns, before.st_mtime_ns))
    project.write("benchmarks/b/spec/task.yaml", "name: spec\ncommand: sh run.sh && true\n")
    project.write("benchmarks/b/image/task.yaml", "name: x\ncommand: sh run.sh\nextra_env: {A: two}\n")
    return {
        "script": "file benchmarks/b/script/run.sh changed",
        "added": "file benchmarks/b/added/new.txt added",
        "removed": "file benchmarks/b/removed/old.txt removed",
        "emptydir": "directory benchmarks/b/emptydir/empty added",
        "execbit": "file benchmarks/b/execbit/run.sh: exec bit set",
        "linktarget": "link benchmarks/b/linktarget/link changed: first -> second",
        "outside": "file benchmarks/b/outside/shared.txt changed (benchmarks/b/common/shared.txt, through the link)",
        "outsidedir": "file benchmarks/b/outsidedir/dir/inner.txt changed (benchmarks/b/common/dir/inner.txt, through"
        " the link)",
        "samestat": "file benchmarks/b/samestat/data.txt changed",
        "spec": "benchmarks/b/spec/task.yaml: command changed: sh run.sh -> sh run.sh && true",
        "image": "benchmarks/b/image/task.yaml: extra_env.A changed: one -> two",
    }


def test_each_change_runs_exactly_its_job(project: Project) -> None:
    """One run after eleven changes: eleven jobs, each with its own cause; then nothing; put back, nothing."""
    root = prepare(project)
    assert len(project.ran(project.run())) == len(TASKS)
    assert project.ran(project.run()) == []
    overall = project.aggregate("b")["overall"]
    causes = change(project, root)
    for command in (("plan",), ("explain", "job:*"), ("explain", "aggregate:b@m"), ("explain", "aggregate")):
        done = project.doit(*command, "model=m")
        assert done.status == 0, done.text
        for task, cause in causes.items():
            after = done.out.split(f"job:b/{task}@m\n", 1)[1]
            assert cause in after.split("  job:")[0].split("\njob:")[0], (command, task, done.out)
        assert "untouched" not in done.out or command == ("explain", "job:*")
    assert sorted(project.ran(project.run())) == sorted(f"b/{task}@m" for task in causes)
    assert abs(project.aggregate("b")["overall"] - (overall + 2 * 0.5 / len(TASKS))) < 1e-9
    assert project.ran(project.run()) == []

    # A change that is put back finds the artifact of before.
    project.write("benchmarks/b/common/shared.txt", "one\n")
    project.write("benchmarks/b/common/dir/inner.txt", "one\n")
    done = project.run()
    assert project.ran(done) == [] and project.aggregate("b")["overall"] == overall, done.text
