"""Tasks with a Docker daemon of their own, through the command line."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from own_daemons import OWN, daemons, seeds
from project import SCORE, Project

CANARY = "canary-5d1f0a7e-of-own-daemons"


@pytest.fixture(scope="module")
def ran(lasting_project: Project) -> Project:
    """Run one task that finds its own image, prints a secret, and ends well."""
    tell = "docker run --rm -e TOKEN benchrouter-env-b:latest sh -c 'echo \"$TOKEN\"'"
    script = f"{OWN} echo inside; {tell}; {SCORE % 1}"
    daemons(lasting_project, {"t": script, "u": SCORE % 0.5}, "pass_env: [TOKEN]\n")
    plan = lasting_project.doit("plan", "model=m")
    assert "2 jobs" in plan.out and "Docker daemon" in plan.out, plan.text
    assert any(word in plan.out for word in ("--privileged", "list of capabilities", "Sysbox")), plan.out
    done = lasting_project.doit("run", "model=m", "preflight=0", env={"TOKEN": CANARY}, deadline=400)
    assert done.status == 0, done.text
    assert CANARY not in done.text
    return lasting_project


def test_what_the_artifact_tells(ran: Project) -> None:
    (artifact,) = [path for path in ran.artifacts() if path.parent.name == "t"]
    daemon = json.loads((artifact / "provenance.json").read_text())["daemon"]
    assert daemon["runtime"] in ("sysbox", "privileged", "capabilities")
    assert daemon["storage_driver"] in ("overlay2", "vfs")
    assert (artifact / "logs" / "stdout.log").read_text().startswith("inside\n")
    assert (artifact / "logs" / "dockerd.log").stat().st_size > 0
    assert {path.name for path in (artifact / "config").iterdir()} == {"run.sh", "dind-entrypoint.sh"}
    assert len(seeds(ran)) <= 1


def test_a_secret_is_nowhere(ran: Project) -> None:
    found = subprocess.run(
        ["grep", "-rlF", CANARY, "results", "runs", "cache", ".benchrouter"],
        cwd=ran.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout == ""


def test_a_person_can_start_it_too(ran: Project) -> None:
    """By hand with a list of capabilities, which every machine can give that runs the tests."""
    (artifact,) = [path for path in ran.artifacts() if path.parent.name == "t"]
    environ = {
        **os.environ,
        "BENCHROUTER_DIND_RIGHTS": "capabilities",
        "BENCHROUTER_MODEL_ENDPOINT": "http://127.0.0.1:9/v1",
        "BENCHROUTER_OUTPUT": str(ran.root / "by-hand"),
        "TOKEN": "t",
    }
    done = subprocess.run(
        ["sh", artifact / "config" / "run.sh"], env=environ, capture_output=True, text=True, check=False, timeout=200
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("inside\n")
    assert json.loads((ran.root / "by-hand" / "result.json").read_text()) == {"overall": 1}


def test_two_invocations_make_one_seed(ran: Project) -> None:
    """Both want it at the same moment; the second waits for the first."""
    ran.doit("clean", "results=1")
    for path in (ran.root / "cache" / "seeds").glob("*"):
        path.unlink()
    env = {"TOKEN": CANARY}
    words = ("run", "preflight=0")
    one, two = (ran.start(*words, f"model={model}", env=env) for model in ("one", "two"))
    for process in (one, two):
        out, err = process.communicate(timeout=400)
        assert process.returncode == 0, out + err
    assert len(seeds(ran)) == 1
