"""A run from Python: events while it runs, the result, and an end in order when the caller has had enough."""

from __future__ import annotations

import pytest
from project import SCORE, Project

import benchrouter


def test_a_run_streams_its_events_and_can_be_cancelled(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """What had ended has its score; what ran is gone with its container, which the fixture looks for."""
    for name in ("BENCHROUTER_MODEL_NAME", "CI"):
        monkeypatch.delenv(name, raising=False)
    project.benchmark("b", {"quick": SCORE % 0.5, "slow": "sleep 600\n"})
    quick = benchrouter.run("b", model="demo", tasks="quick", workspace=project.root)
    assert quick.completed and quick.scores == {("b", "demo"): 0.5}
    started: list[tuple[str, str | None]] = []
    with benchrouter.start("b", model="demo", workspace=project.root) as running:
        for event in running:
            started.append((event["event"], event.get("node")))
            if started[-1] == ("started", "job:b/slow@demo"):
                running.cancel()
        result = running.result()
    assert result.status == 130 and not result.completed
    states = {job["task"]: (job["state"], job["reason"]) for job in result.jobs}
    assert states["quick"] == ("COMPLETED", None) and states["slow"] in (("FAILED", "cancelled"), ("QUEUED", None))
    told = [(one.overall, one.coverage, one.asked) for one in benchrouter.results(workspace=project.root)]
    assert (0.5, (1, 2), ("tasks quick",)) in told


def test_an_error_of_the_caller_ends_the_run_first(project: Project) -> None:
    """In `on_event`, that is; nothing goes on behind the caller's back."""
    project.benchmark("b", {"slow": "sleep 600\n"})

    def stumble(event: dict[str, str]) -> None:
        if event["event"] == "started":
            raise KeyError("of the caller")

    with pytest.raises(KeyError, match="of the caller"):
        benchrouter.run("b", model="demo", workspace=project.root, on_event=stumble)
    assert project.doit("plan", "model=demo").out.count("job:b/slow@demo") == 1
