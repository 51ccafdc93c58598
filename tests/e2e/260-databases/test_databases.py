"""PostgreSQL beside each task, and inside each task's own daemon: the same questions, the same scores."""

from __future__ import annotations

import pytest
from project import Project
from shipped import ask_demo, check_nothing_left, provenance, results, scores, ship

SCORES = {"filters": 0.8, "joins": 0.875, "vectors": 5 / 6}
OVERALL = pytest.approx(0.8361111111111111, abs=1e-12)


@pytest.fixture(scope="module")
def shipped(lasting_project: Project) -> Project:
    """Both benchmarks in one workspace: the second is built on the first."""
    ship(lasting_project, ("pg-sidecar", "pg-dind"))
    return lasting_project


def test_the_plan_says_what_stands_around_the_tasks(shipped: Project) -> None:
    done = shipped.doit("plan", "model=demo", "bench=pg-sidecar,pg-dind")
    assert done.status == 0, done.text
    assert "sidecars: db (environment postgres) (3 jobs)" in done.out
    assert "privileges: 3 jobs want a Docker daemon of their own" in done.out


def test_a_database_beside_each_of_three_tasks_on_the_same_port(shipped: Project) -> None:
    done = ask_demo(shipped, "bench=pg-sidecar")
    assert scores(shipped, "pg-sidecar") == SCORES
    assert shipped.aggregate("pg-sidecar", "demo")["overall"] == OVERALL
    assert sorted(shipped.ran(done)) == [f"pg-sidecar/{task}@demo" for task in SCORES]
    artifacts = shipped.artifacts("pg-sidecar", model="demo")
    assert len({provenance(path)["network"]["subnet"] for path in artifacts}) == len(SCORES)
    for path in artifacts:
        assert (
            "database system is ready to accept connections" in (path / "logs" / "sidecar-db.log").read_text()
        )
        assert '"db":' in (path / "config" / "compose.yaml").read_text()
    check_nothing_left(shipped)


def test_a_database_inside_the_daemon_of_each_of_three_tasks(shipped: Project) -> None:
    ask_demo(shipped, "bench=pg-dind")
    assert scores(shipped, "pg-dind") == SCORES
    assert shipped.aggregate("pg-dind", "demo")["overall"] == OVERALL
    for path in shipped.artifacts("pg-dind", model="demo"):
        assert (path / "logs" / "dockerd.log").stat().st_size > 0
        daemon = provenance(path)["daemon"]
        assert daemon["runtime"] in ("sysbox", "privileged", "capabilities")
        assert daemon["storage_driver"] in ("overlay2", "vfs")
    check_nothing_left(shipped)


def test_both_judged_each_answer_alike_and_are_up_to_date(shipped: Project) -> None:
    beside, inside = (results(shipped, name) for name in ("pg-sidecar", "pg-dind"))
    assert {task: each["raw_metrics"] for task, each in beside.items()} == {
        task: each["raw_metrics"] for task, each in inside.items()
    }
    assert shipped.ran(ask_demo(shipped, "bench=pg-sidecar,pg-dind")) == []
