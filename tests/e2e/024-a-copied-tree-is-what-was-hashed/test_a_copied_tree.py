"""A copy of a task tree bears the digest of what it holds, also when the tree changes between hash and copy."""

from __future__ import annotations

from project import SCORE, Project, wait_until


def test_a_copy_made_of_edited_files_is_not_used_for_the_old_content(project: Project) -> None:
    """Edit a file behind a link while the image builds, then put it back: the next run sees what was put back."""
    script = "grep -q one data.txt && score=0.25 || score=0.75\n" + (SCORE % "'$score'")
    root = project.benchmark("b", {"t": script}, dockerfile="FROM debian:bookworm-slim\nRUN sleep 1.5 # 024\n")
    data = project.write("benchmarks/b/common/data.txt", "one\n")
    (root / "t" / "data.txt").symlink_to("../common/data.txt")
    running = project.start("run", "model=m", "preflight=0")
    assert running.stdout is not None
    for line in running.stdout:
        if "image:b/b started" in line:
            break
    data.write_text("two\n")
    out, err = running.communicate(timeout=60)
    assert running.returncode == 1 and project.artifacts() == [], out + err
    data.write_text("one\n")
    project.run()
    assert project.aggregate("b")["overall"] == 0.25
    data.write_text("two\n")
    project.run()
    assert project.aggregate("b")["overall"] == 0.75
    wait_until(lambda: not list((project.root / "cache" / "trees").glob(".*")))
