"""Changes that cannot change a score run nothing."""

from __future__ import annotations

from project import SCORE, Project


def test_words_limits_and_neighbours_run_nothing(project: Project) -> None:
    """Descriptions, limits, comments, layout of YAML, and files that no task and no environment names."""
    project.benchmark("b", {"t": SCORE % 0.5, "other": SCORE % 0.5})
    assert len(project.ran(project.run())) == 2
    before = project.doit("explain", "job:b/t@m", "model=m").out.splitlines()[1]
    project.write(
        "benchmarks/b/benchmark.yaml",
        "# a comment\ndescription: in other words\nversion: 2\ntasks: [{name: t}, {name: other}]\nname: b\n",
    )
    project.write(
        "benchmarks/b/t/task.yaml",
        """
        # a comment
        command:   "sh run.sh"
        name: another title
        description: |
            in other words
        timeout: 90m
        resources: {memory: 1g, reserve: 64m, cpus: 1, pids: 100}
        """,
    )
    project.write("benchmarks/b/README.md", "read me")
    project.write("benchmarks/b/code/generate.py", "print()")
    project.write("benchmarks/b/environments/unused/Dockerfile", "FROM no/such:image\n")
    project.write("benchmarks/c/benchmark.yaml", "name: c\ntasks: [{name: x}]\n")
    project.write("benchmarks/c/x/task.yaml", "name: x\ncommand: 'true'\n")
    project.write("benchmarks/c/environments/c/Dockerfile", "FROM debian:bookworm-slim\n")
    project.write("README.md", "read me")
    project.write("benchrouter.yaml", "site: {limits: {memory: 2g, log_bytes: 1m}}\n")
    assert project.due("bench=b") == []
    explained = project.doit("explain", "job:b/t@m", "model=m", "bench=b")
    assert explained.out.splitlines()[1] == before and "up to date" in explained.out
    done = project.run("bench=b")
    assert project.ran(done) == [] and "overall 0.5000 · coverage 2/2" in done.out

    # A template of the workspace counts only where its bytes differ from the packaged one.
    from benchrouter.jobs.template_files import TEMPLATES

    packaged = (TEMPLATES / "run.sh.j2").read_text()
    (project.root / "templates").mkdir()
    (project.root / "templates" / "run.sh.j2").write_text(packaged)
    assert project.due("bench=b") == []
    (project.root / "templates" / "run.sh.j2").write_text(packaged + "# ours\n")
    plan = project.doit("plan", "bench=b", "model=m").out
    assert plan.count("because template templates/run.sh.j2 added") == 2, plan
    assert len(project.ran(project.run("bench=b"))) == 2
    (project.root / "templates" / "run.sh.j2").write_text(packaged + "# ours, again\n")
    plan = project.doit("plan", "bench=b", "model=m").out
    assert plan.count("because template templates/run.sh.j2 changed\n") == 2, plan
