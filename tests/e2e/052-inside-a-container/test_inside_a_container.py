"""Invocations inside containers that share the engine and the workspace with one outside."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from killing import check_files, check_nothing_left, client, dead_runs, end_of, named_images, scores_of, start
from project import DOIT, SCORE, Project, docker, wait_until

import benchrouter

SOCKET = Path("/var/run/docker.sock")
JOBS = 10
BASE = "FROM debian:bookworm-slim\n"


@pytest.fixture
def shared(project: Project) -> Project:
    """A workspace whose base image is there, and can hold our own interpreter."""
    if not SOCKET.is_socket() or os.environ.get("DOCKER_HOST"):
        pytest.skip("the engine is not at its usual socket")
    project.benchmark("b", {f"t{i}": f"sleep 0.2; {SCORE % (i / 10)}" for i in range(JOBS)}, dockerfile=BASE)
    project.benchmark("first", {"t": SCORE % 1}, dockerfile=f"{BASE}ENV NONCE={time.time_ns()}\n")
    project.run("bench=first")
    return project


def inside(project: Project, name: str, *words: str, network: str = "host", endpoint: str = "") -> list[str]:
    """Say how to run doit in a container: same paths, own pid namespace, the host's programs read-only."""
    (image,) = (name for name in named_images(project) if name.startswith("benchrouter/first-first:"))
    package = Path(benchrouter.__file__).parents[1]
    mounts = [SOCKET, project.root, *{Path(sys.base_prefix), Path(sys.prefix), package, Path("/usr")}]
    options = [word for place in mounts for word in ("-v", f"{place}:{place}")]
    environment = ["-e", f"PATH={DOIT.parent}:/usr/local/bin:/usr/bin:/bin", "-w", str(project.root)]
    environment += ["-e", f"BENCHROUTER_MODEL_ENDPOINT={endpoint}"] if endpoint else []
    user = ["--user", f"{os.getuid()}:{SOCKET.stat().st_gid}"]
    run = ["docker", "run", "--rm", "--name", name, "--network", network, *user, *options, *environment, image]
    return [*run, str(DOIT), *words]


def piped(command: list[str]) -> subprocess.Popen[str]:
    """Start a command as a project starts doit."""
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def test_two_inside_and_one_outside_share_the_jobs(shared: Project) -> None:
    """Run in two containers and outside at once: each job once, same scores, nobody is swept."""
    words = ("run", "model=m", "preflight=0", "-n", "4", "bench=b")
    commands = [inside(shared, f"benchrouter-test-{shared.id[:8]}-{n}", *words) for n in (1, 2)]
    running = [*map(piped, commands), start(shared, "bench=b")]
    ended = [end_of(process, 120) for process in running]
    for done in ended:
        assert done.status == 0, done.text
        assert "was killed" not in done.text, done.text
    started = sorted(job for done in ended for job in shared.ran(done))
    assert started == [f"b/t{i}@m" for i in range(JOBS)]
    assert scores_of(shared)["overall"] == pytest.approx(sum(i / 10 for i in range(JOBS)) / JOBS)
    check_nothing_left(shared)
    check_files(shared)


def test_a_container_that_is_killed_is_swept_from_outside(shared: Project) -> None:
    """Kill the container that an invocation lives in: the next start, outside, sweeps what it left."""
    shared.benchmark("b", {f"t{i}": f"sleep 2; {SCORE % 0.5}" for i in range(4)}, dockerfile=BASE)
    name = f"benchrouter-test-{shared.id[:8]}-3"
    command = inside(shared, name, "run", "model=m", "preflight=0", "bench=b")
    process = piped(command)
    with client() as api:
        label = {"label": f"benchrouter.workspace={shared.id}", "status": "running"}
        wait_until(lambda: len(api.containers(filters=label)) == 4 or process.poll() is not None)
        docker("kill", name)
        end_of(process)
        assert dead_runs(shared) and len(api.containers(all=True, filters=label)) > 0
    done = shared.run("bench=b")
    assert "was killed; removed" in done.err, done.text
    check_nothing_left(shared)


def test_a_relay_that_cannot_listen_was_called_a_failing_engine(shared: Project) -> None:
    """Jobs with networks of their own need one at the host; elsewhere they say so at once, and what to do."""
    tasks = {f"t{i}": SCORE % 1 for i in range(8)}
    shared.benchmark("b", tasks, dockerfile=BASE, task_yaml="network: bridge\n")
    words = ("run", "model=m", "preflight=0", "bench=b")
    began = time.monotonic()
    name, url = f"benchrouter-test-{shared.id[:8]}", "http://127.0.0.1:9/v1"
    done = end_of(piped(inside(shared, f"{name}-4", *words, network="bridge", endpoint=url)), 120)
    assert done.status == 1, done.text
    assert set(shared.job_states().values()) == {"FAILED unsupported"}, done.text
    assert "`--network host`" in done.out and len(shared.failures("b")) == len(tasks), done.text
    assert time.monotonic() - began < 60
    check_nothing_left(shared)
    done = end_of(piped(inside(shared, f"{name}-5", *words, endpoint=url)), 120)
    assert done.status == 0, done.text
