"""Something else removes images from the engine while a run goes on: they are got again, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable

from project import SCORE, Done, Project, docker, wait_until

HOLD = "until [ -e /app/results/go ]; do sleep 0.1; done\n"
SIDECAR = """\
sidecars:
  - name: db
    build: db
    command: [sh, -c, "exec sleep 600"]
"""


def write(project: Project, name: str, environment: str, *, yaml: str = "", script: str = "") -> None:
    """Write a task in an environment of its own."""
    project.write(f"benchmarks/b/{name}/task.yaml", f"name: {name}\ncommand: sh run.sh\n{yaml}")
    project.write(f"benchmarks/b/{name}/run.sh", f"{script}{SCORE % 0.5}")
    listed = project.root / "benchmarks/b/benchmark.yaml"
    text = listed.read_text() if listed.exists() else "name: b\ntasks:\n"
    listed.write_text(f"{text}  - name: {name}\n    environment: {environment}\n")


def environment(project: Project, name: str, more: str, base: str = "debian:bookworm-slim") -> None:
    """Write an environment that no other test has."""
    project.write(f"benchmarks/b/environments/{name}/Dockerfile", f"FROM {base}\nLABEL of={project.root}\n{more}")


def tags(project: Project) -> list[str]:
    """List the names of the workspace's images."""
    ours = ("label=benchrouter.image.workspace=" + project.id, "dangling=false")
    filters = [word for each in ours for word in ("--filter", each)]
    return docker("images", "--format", "{{.Repository}}:{{.Tag}}", *filters).split()


def with_all_removed_meanwhile(project: Project, also: Callable[[], object] = lambda: None) -> Done:
    """Run, take every image of the workspace away while the first job is held, and let it go on."""
    process = project.start("run", "model=m", "preflight=0", "-n", "1")
    wait_until(lambda: bool(running(project)))
    also()
    for tag in tags(project):
        docker("rmi", "-f", tag)
    assert not tags(project)
    (output,) = (project.root / "cache" / "attempts").glob("*/*/output")
    (output / "go").touch()
    out, err = process.communicate(timeout=120)
    return Done(process.returncode, out, err)


def running(project: Project) -> list[str]:
    """List the running containers of the workspace."""
    return docker("ps", "-q", "--filter", f"label=benchrouter.workspace={project.id}").split() if project.has_id else []


def test_jobs_that_had_still_to_start_run(project: Project) -> None:
    """In one container, in an image that is built on another one, and beside a sidecar."""
    environment(project, "held", "")
    environment(project, "under", "")
    environment(project, "over", "RUN :\n", "benchrouter-env-under")
    environment(project, "db", "")
    write(project, "a-held", "held", script=HOLD)
    write(project, "b-alone", "over")
    write(project, "c-beside", "held", yaml=SIDECAR)
    done = with_all_removed_meanwhile(project)
    assert done.status == 0, done.text
    assert project.job_states() == dict.fromkeys(("b/a-held", "b/b-alone", "b/c-beside"), "COMPLETED")
    assert "job:b/b-alone@m: image_missing" in done.out, done.out
    assert project.built(done).count("b/over") == project.built(done).count("b/under") == 2, done.out


def test_one_that_cannot_be_built_again_says_so(project: Project) -> None:
    """The reason is that of the build, and the job is not tried again and again."""
    environment(project, "held", "")
    environment(project, "gone", "")
    write(project, "a-held", "held", script=HOLD)
    write(project, "b-after", "gone")
    broken = "FROM debian:bookworm-slim\nRUN false\n"
    file = "benchmarks/b/environments/gone/Dockerfile"
    done = with_all_removed_meanwhile(project, lambda: project.write(file, broken))
    assert done.status == 1, done.text
    assert project.job_states() == {"b/a-held": "COMPLETED", "b/b-after": "FAILED image_build"}
    assert len(project.failures(task="b-after")) == 2
