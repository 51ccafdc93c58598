"""Eight shards that build and test repositories in daemons of their own; two of them fail on purpose."""

from __future__ import annotations

from project import Project
from shipped import ask_demo, check_nothing_left, scores, ship

SCORES = {
    "shard-1": 1 / 2,
    "shard-2": 5 / 6,
    "shard-3": 3 / 4,
    "shard-4": 2 / 3,
    "shard-5": 1 / 2,
    "shard-6": 1 / 2,
}
STATES = {
    **{f"repo-repair/{shard}": "COMPLETED" for shard in SCORES},
    "repo-repair/shard-7": "FAILED exit_code",
    "repo-repair/shard-8": "FAILED timeout",
}


def test_two_shards_of_eight_fail_and_the_mean_is_that_of_the_six(project: Project) -> None:
    ship(project, ("repo-repair",))
    done = ask_demo(project, "bench=repo-repair", status=1)
    assert project.job_states() == STATES, done.text
    assert scores(project, "repo-repair") == SCORES
    aggregate = project.aggregate("repo-repair", "demo")
    assert (aggregate["state"], aggregate["coverage"]) == ("PARTIAL", {"completed": 6, "declared": 8})
    assert abs(aggregate["overall"] - 0.625) < 1e-12
    assert abs(aggregate["overall_failures_as_zero"] - 0.46875) < 1e-12
    assert "overall 0.6250 · coverage 6/8 · PARTIAL" in done.out
    assert "benchrouter-env-mistune-3.1.0:latest" in done.out  # the image that shard-7 lacks
    check_nothing_left(project)
    assert project.due("bench=repo-repair", model="demo") == [f"repo-repair/shard-{n}@demo" for n in (7, 8)]
