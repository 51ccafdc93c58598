"""A model that nobody gave an endpoint is a mistake of the person, said before anything runs."""

from __future__ import annotations

from project import SCORE, Done, Project, listing
from stand_in import ASK, stand_in

SETTINGS = "models:\n  bare: {}\n  good: {endpoint: 'http://127.0.0.1:9/v1'}\n"


def check_refused(done: Done, *said: str) -> None:
    """A usage error that names what to set, and no traceback."""
    assert done.status == 2, done.text
    for words in (*said, "set BENCHROUTER_MODEL_ENDPOINT (and OPENAI_API_KEY)", "`models:` in benchrouter.yaml"):
        assert words in done.err, done.err
    assert "Traceback" not in done.text and "started" not in done.out


def test_nothing_runs_and_the_message_says_what_to_set(project: Project) -> None:
    """Given by nobody, or declared without one; one line each; nothing is recorded."""
    project.benchmark("b", {"t": SCORE % 0.5})
    project.write("benchrouter.yaml", SETTINGS)
    done = project.doit("run", "model=goood,bare,good")
    check_refused(done, "no endpoint for `goood` (did you mean `good`?)", "no endpoint for `bare`:")
    assert "`good`:" not in done.err and "preflight=0" in done.err
    check_refused(project.doit("job:b/t@m", "model=m"), "no endpoint for `m`:")
    check_refused(project.doit("run", "model=deno"), "no endpoint for `deno` (did you mean `demo`?)")
    assert project.artifacts() == project.failures() == []
    assert list((project.root / "runs").glob("*.json")) == []


def test_looking_needs_no_endpoint(project: Project) -> None:
    """`plan` says what is to be set; `list`, `explain` and the nodes of images work; nothing is written."""
    project.benchmark("b", {"t": SCORE % 0.5})
    before = listing(project.root)
    planned = project.doit("plan", "model=m")
    assert planned.status == 0 and "to do before a run: no endpoint for `m`: set" in planned.out
    assert "to do before a run" not in project.doit("plan", "model=m", "preflight=0").out
    assert "to do before a run" not in project.doit("plan", "model=demo").out
    assert project.doit("explain", "job:b/t@m", "model=m").status == 0
    assert "job:b/t@m" in project.doit("list", "--all", "model=m").out
    assert listing(project.root) == before
    assert project.doit("run", "image:b/b", "model=m").status == 0


def test_what_is_up_to_date_needs_none(project: Project) -> None:
    """Neither with all done, nor once preflight=0 has run tasks that ask no model."""
    project.benchmark("b", {"t": SCORE % 0.5})
    project.write("benchrouter.yaml", "models:\n  declared: {}\n")
    project.run()
    assert project.doit("run", "model=m").status == 0
    with stand_in() as server:
        project.benchmark("c", {"t": ASK})
        env = {"BENCHROUTER_MODEL_ENDPOINT": server.url("200")}
        assert project.doit("run", "model=declared", env=env).status == 0
    assert project.doit("run", "model=declared").status == 0
    check_refused(project.doit("run", "model=declared", "LIMIT=1"), "no endpoint for `declared`:")
