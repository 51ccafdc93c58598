"""An endpoint that fails is never a score: asked first, retried, paused for, waited for, given up."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Mapping

import pytest
from project import SCORE, Done, Project, containers_of
from stand_in import ASK, Follower, StandIn, stand_in
from verdicts import document, last_failure

KEY = "sk-of-the-person-0123456789"


@pytest.fixture
def endpoint() -> Iterator[StandIn]:
    """The stand-in, for one test."""
    with stand_in() as server:
        yield server


def configure(project: Project, endpoints: Mapping[str, str], **limits: object) -> None:
    """Declare models by their URLs, and limits of the site."""
    models = "".join(f"  {name}: {{endpoint: '{url}', api_key_env: KEY}}\n" for name, url in endpoints.items())
    site = "".join(f"    {name}: {value}\n" for name, value in limits.items())
    text = f"models:\n{models}" + (f"site:\n  limits:\n{site}" if limits else "")
    (project.root / "benchrouter.yaml").write_text(text)


def closed_port() -> str:
    """Give the URL of a port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}/v1"


def count(done: Done, text: str) -> int:
    """Count the lines that hold a text."""
    return sum(text in line for line in done.out.splitlines())


def test_asked_before_the_first_job_and_retried_when_jobs_meet_it(project: Project, endpoint: StandIn) -> None:
    """401, 403 and nobody there: not started. 429 and 500: three attempts. No zero anywhere, exit 1."""
    names = {"refused": "401", "forbidden": "403", "busy": "429", "broken": "500", "good": "200"}
    configure(project, {**{name: endpoint.url(path) for name, path in names.items()}, "closed": closed_port()})
    project.benchmark("b", {"t": ASK})
    models = [*names, "closed"]
    done = project.doit("run", f"model={','.join(models)}", env={"KEY": KEY})
    assert done.status == 1, done.text
    assert KEY not in done.text and project.newest_run()["state"] == "PARTIAL"
    said = {
        "refused": "refuses the key (status 401): check the value of KEY",
        "forbidden": "refuses the key (status 403)",
        "closed": "does not answer: Connection refused",
        "busy": "ended with status 75: the endpoint failed",
        "broken": "ended with status 75: the endpoint failed",
    }
    for model, words in said.items():
        started = 3 if model in ("busy", "broken") else 0
        assert count(done, f"job:b/t@{model} started") == started, done.out
        assert f"job:b/t@{model} FAILED endpoint" in done.out
        job = document(last_failure(project, "b", "t", model) / "job.json")
        assert (job["reason"], words in job["detail"]) == ("endpoint", True), job
        scored = project.aggregate("b", model)
        assert (scored["overall"], scored["overall_failures_as_zero"]) == (None, None), scored
        assert scored["coverage"] == {"completed": 0, "declared": 1}
        assert count(done, "its jobs are not started") == 3
    assert count(done, "answers with status 429; jobs may fail") == 1
    assert count(done, "answers with status 500; jobs may fail") == 1
    assert project.aggregate("b", "good")["overall"] == 0.5
    again = project.doit("run", "model=closed,good")
    assert again.status == 1 and project.ran(again) == []


def test_retry_waits_without_its_slot(project: Project, endpoint: StandIn) -> None:
    """With one slot, another job starts while one waits for its next attempt; the third attempt succeeds."""
    configure(project, {"flaky": endpoint.url("flaky"), "closed": closed_port()})
    told = """echo '{"error": {"kind": "endpoint", "code": 429}}' >"$BENCHROUTER_OUTPUT_DIR/result.json" """
    project.benchmark("b", {"a": ASK, "b": SCORE % 1, "c": told})
    done = project.run("-n", "1", model="flaky,closed", status=1)
    assert count(done, "job:b/a@closed started") == 3 and "asked: nobody there" in done.out
    started = [job for job in project.ran(done) if job.endswith("@flaky")]
    assert started.count("b/a@flaky") == 3 and started.count("b/b@flaky") == 1 and started.count("b/c@flaky") == 3
    # Which one, and whether more follow before the wait is over, is a matter of how busy this machine is.
    starts = project.ran(done)
    failing = next(job for job in starts if not job.startswith("b/b@"))
    assert starts[starts.index(failing) + 1] != failing, starts
    assert count(done, "job:b/a@flaky COMPLETED 0.5") == 1
    assert count(done, "job:b/a@flaky: endpoint") == 2 and count(done, "@flaky: endpoint") == 4
    # Why is said when it happens, not again at the next attempt, and once at the end for both models.
    detail = 'result.json reports a failure of the endpoint: {"kind": "endpoint", "code": 429}'
    assert count(done, f"job:b/c@flaky: endpoint: {detail}; again in ") == 1
    assert count(done, "job:b/c@flaky: endpoint; again in ") == 1
    assert f"job:b/c@flaky FAILED endpoint: {detail}\n  also:   job:b/c@closed\n" in done.out
    assert [path.name for path in project.failures("b", "a", "flaky")] == ["1", "2"]
    scored = project.aggregate("b", "flaky")
    assert (scored["overall"], scored["overall_failures_as_zero"]) == (0.75, 0.75)
    assert scored["coverage"] == {"completed": 2, "declared": 3}


def test_breaker_opens_and_goes_on_when_the_endpoint_returns(project: Project, endpoint: StandIn) -> None:
    """Nothing is started for the model while it fails; other models go on; then all of it completes."""
    configure(
        project, {"m": endpoint.url("switch"), "other": endpoint.url("200")}, endpoint_failures=3, endpoint_patience=90
    )
    project.benchmark("b", {f"t{i}": ASK for i in range(8)})
    endpoint.switch = 500
    follower = Follower(project.start("run", "-n", "2", "model=m,other"))
    opened = follower.until("failures in a row")
    assert "model m: 3 failures in a row (the command ended with status 75: the endpoint failed)" in opened
    assert "no new jobs for it until it answers again (given up after 90 s)" in opened
    time.sleep(3)
    asked = endpoint.asked.count("switch")
    time.sleep(1)
    assert endpoint.asked.count("switch") == asked, "jobs are started although the breaker is open"
    endpoint.switch = 200
    follower.until("model m answers again; going on")
    done = follower.end()
    assert done.status == 0, done.text
    before, _, after = done.out.partition("model m answers again")
    assert "@m started" not in before[before.index("failures in a row") :]
    assert before.count("@other COMPLETED") == 8 and after.count("@m COMPLETED") == 8
    assert project.aggregate("b", "m")["coverage"] == {"completed": 8, "declared": 8}


def test_breaker_gives_up_after_patience(project: Project, endpoint: StandIn) -> None:
    """The jobs that are left end `endpoint` without being started, and the run ends."""
    configure(project, {"m": endpoint.url("switch")}, endpoint_failures=3, endpoint_patience=3)
    project.benchmark("b", {f"t{i}": ASK for i in range(12)})
    follower = Follower(project.start("run", "-n", "2", "model=m"))
    follower.until("COMPLETED 0.5")
    endpoint.switch = 500
    done = follower.end()
    assert done.status == 1, done.text
    given_up = f"model m does not come back: {endpoint.url('switch')} answers with status 500"
    assert count(done, f"{given_up}; its remaining jobs end without being started") == 1
    states = project.job_states()
    completed = [job for job, state in states.items() if state == "COMPLETED"]
    assert set(states.values()) == {"COMPLETED", "FAILED endpoint"}
    assert 1 <= len(completed) < 9
    assert f"FAILED endpoint: {given_up}" in done.out
    never = [job for job in states if f"job:{job}@m started" not in done.out]
    assert len(never) >= 3 and not set(never) & set(completed)
    scored = project.aggregate("b")
    assert (scored["overall"], scored["overall_failures_as_zero"]) == (0.5, 0.5)
    assert containers_of(project.id) == []
    endpoint.switch = 200
    assert len(project.ran(project.run())) == 12 - len(completed)
