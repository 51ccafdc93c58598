"""Two and three invocations at once in one workspace: each job runs once, all see the same outcome."""

from __future__ import annotations

import random
import signal
import time

import pytest
from killing import ROUNDS, SEED, SOAKS, check_files, check_nothing_left, end_of, named_images, start
from project import SCORE, Project, wait_until

JOBS = 12 if SOAKS else 8
FAILING = "echo sorry; exit 3"


def at_once(project: Project, count: int, what: str) -> list[tuple[int, list[str], list[str]]]:
    """Start several runs within half a second; give status, started jobs and table rows of each."""
    pauses = random.Random(f"{SEED} {what}")
    print(f"{what} (BENCHROUTER_SOAK_SEED={SEED})")
    running = []
    for _ in range(count):
        running.append(start(project))
        time.sleep(pauses.uniform(0, 0.5))
    ended = [end_of(process, 120) for process in running]
    for done in ended:
        assert "internal error" not in done.text and "Traceback" not in done.text, done.text
        assert "was killed" not in done.text, f"swept the living: {done.text}"
    return [(done.status, project.ran(done), table(done.out)) for done in ended]


def table(out: str) -> list[str]:
    """Take the table of scores at the end, without times."""
    rows = out[out.rindex("\nb @ m") :].splitlines()
    return [" ".join(word for word in row.split() if not word.endswith("s")) for row in rows]


@pytest.mark.soak
@pytest.mark.parametrize("number", range(1, max(1, ROUNDS // 3) + 1))
@pytest.mark.parametrize("count", (2, 3))
def test_each_job_runs_once_whoever_asks(project: Project, count: int, number: int) -> None:
    """Share an image, many jobs and a failing one among several invocations."""
    tasks = {f"t{i:02}": f"sleep 0.1; {SCORE % (i / 20)}" for i in range(JOBS)}
    dockerfile = f"FROM debian:bookworm-slim\nENV ROUND={SEED}-{count}-{number}\n"
    project.benchmark("b", {**tasks, "x": f"sleep 1; {FAILING}"}, dockerfile=dockerfile)
    ended = at_once(project, count, f"{count} at once, round {number}")
    started = sorted(job for _, jobs, _ in ended for job in jobs)
    assert started == sorted([*(f"b/{task}@m" for task in tasks), "b/x@m"])
    assert [status for status, _, _ in ended] == [1] * count
    assert all(rows == ended[0][2] for _, _, rows in ended), [rows for _, _, rows in ended]
    assert len(project.failures("b", "x")) == 1
    assert project.aggregate("b")["coverage"] == {"completed": JOBS, "declared": JOBS + 1}
    assert len(named_images(project)) == 1
    check_nothing_left(project)
    check_files(project)


def test_a_failed_build_is_adopted_with_its_jobs(project: Project) -> None:
    """Build once, fail once, whoever waits for it."""
    project.write("benchrouter.yaml", "site: {build_network: none}\n")
    dockerfile = "FROM debian:bookworm-slim\nRUN sleep 2; echo broken for good; exit 1\n"
    project.benchmark("b", {"one": SCORE % 1, "two": SCORE % 0}, dockerfile=dockerfile)
    ended = at_once(project, 3, "three at a failing build")
    assert [status for status, _, _ in ended] == [1, 1, 1]
    assert set(project.job_states().values()) == {"FAILED image_build"}
    assert len(project.failures()) == 2
    check_nothing_left(project)
    project.run(status=1)
    assert len(project.failures()) == 4


def test_ctrl_c_on_who_waits_leaves_the_first_alone(project: Project) -> None:
    """Interrupt the second invocation: it ends at once, the first one ends as if alone."""
    project.benchmark("b", {f"t{i}": f"sleep 8; {SCORE % 0.5}" for i in range(3)})
    first = start(project)
    wait_until(lambda: len(list((project.root / "cache/locks").glob("*.lock"))) == 3)
    second = start(project)
    wait_until(lambda: len(list((project.root / "runs").glob("*.owner"))) == 2)
    time.sleep(0.3)
    began = time.monotonic()
    second.send_signal(signal.SIGINT)
    done = end_of(second)
    assert done.status == 130 and time.monotonic() - began < 6, done.text
    assert project.ran(done) == []
    done = end_of(first, 60)
    assert done.status == 0 and len(project.ran(done)) == 3, done.text
    check_nothing_left(project)


def test_a_later_success_is_not_overwritten(project: Project) -> None:
    """A job fails, a second invocation repairs it while the first still runs: the aggregate ends up complete."""
    tasks = {"flaky": f"test $LUCK = good || exit 3; {SCORE % 1}", "slow": f"sleep 8; {SCORE % 0.5}"}
    project.benchmark("b", tasks, task_yaml="pass_env: [LUCK]")
    first = start(project, env={"LUCK": "bad"})
    wait_until(lambda: bool(project.failures("b", "flaky")))
    second = start(project, env={"LUCK": "good"})
    ended = [end_of(process, 60) for process in (first, second)]
    assert [sorted(project.ran(done)) for done in ended] == [["b/flaky@m", "b/slow@m"], ["b/flaky@m"]]
    assert [done.status for done in ended] == [0, 0], ended
    assert project.aggregate("b")["coverage"] == {"completed": 2, "declared": 2}


def test_who_waits_takes_over_when_the_first_is_killed(project: Project) -> None:
    """Kill the invocation that has the jobs: the other one runs them, and sweeps nobody who lives."""
    project.benchmark("b", {f"t{i}": f"sleep 1.5; {SCORE % 0.5}" for i in range(4)})
    project.run("tasks=b/t0")
    first = start(project)
    time.sleep(1.6)
    second = start(project)
    time.sleep(0.9)
    first.kill()
    end_of(first)
    done = end_of(second, 60)
    assert done.status == 0, done.text
    assert project.aggregate("b")["coverage"] == {"completed": 4, "declared": 4}
    assert project.run().status == 0
    check_nothing_left(project)
