"""The entrypoint of a task's own daemon, and how a person starts it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from requests_for_jobs import ROOT, a_request

from benchrouter.jobs.contract import Host, environment, limits, preloaded_names
from benchrouter.jobs.render import Renderer
from benchrouter.jobs.render_dind import entrypoint
from benchrouter.jobs.request import JobRequest
from benchrouter.spec.settings import GIB, Site, SiteLimits
from benchrouter.spec.task import Resources, Task
from benchrouter.store.workspace import Workspace

needs_shellcheck = pytest.mark.skipif(shutil.which("shellcheck") is None, reason="needs shellcheck")
IMAGES = {"benchrouter-env-db:latest": "benchrouter/bench-db:k", "redis": "mirror.local/redis:7"}


def wants_daemon(**options: Any) -> JobRequest:
    return a_request(docker=True, environment="env", docker_images=tuple(IMAGES), images=IMAGES, **options)


def rendered(request: JobRequest, directory: Path) -> str:
    return Renderer(Workspace(ROOT), SiteLimits()).render_to(request, directory).read_text()


def test_a_daemon_has_the_images_under_the_tasks_names_its_own_among_them() -> None:
    own = "benchrouter/bench-env:abc"
    assert preloaded_names(wants_daemon()) == {own: own, "benchrouter-env-env:latest": own, **IMAGES}


def test_a_name_that_no_image_can_have_is_not_given() -> None:
    own = "benchrouter/bench-env:abc"
    assert preloaded_names(a_request(docker=True, environment="Env")) == {own: own}


def test_the_task_is_told_that_it_has_a_daemon_and_what_is_in_it() -> None:
    shown = environment(wants_daemon(), "", Site()).shown
    assert shown["BENCHROUTER_DOCKER_ENABLED"] == "true"
    assert shown["BENCHROUTER_DIND_IMAGES"] == "benchrouter-env-db:latest,redis"
    assert "BENCHROUTER_DOCKER_ENABLED" not in environment(a_request(), "", Site()).shown


def test_a_task_with_a_daemon_has_32_gib_and_never_more_than_the_host() -> None:
    docker = Task("T", "c", docker=True)
    assert limits(docker, SiteLimits(), Host(64 * GIB, 8)).memory == 32 * GIB
    assert limits(docker, SiteLimits(), Host(8 * GIB, 8)).memory == 8 * GIB
    own = Task("T", "c", docker=True, resources=Resources(memory=GIB))
    assert limits(own, SiteLimits(), Host(64 * GIB, 8)).memory == GIB


@needs_shellcheck
def test_what_is_rendered_is_clean_under_shellcheck(tmp_path: Path) -> None:
    rendered(wants_daemon(), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dind-entrypoint.sh", "run.sh"]
    done = subprocess.run(
        ["shellcheck", *tmp_path.iterdir()], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_the_entrypoint_is_the_same_on_every_machine() -> None:
    there = wants_daemon(tree=Path("/else/where"), endpoint="https://elsewhere/v1")
    assert entrypoint(Workspace(ROOT), wants_daemon()) == entrypoint(Workspace(Path("/else")), there)


def test_run_sh_knows_no_mirror_and_never_the_hosts_network(tmp_path: Path) -> None:
    text = rendered(wants_daemon(), tmp_path)
    assert "mirror.local" not in text
    assert "network=bridge\n" in text and "--network host" not in text
    assert "docker save --output" in text and "benchrouter/bench-db:k redis" in text
    assert "benchrouter/bench-env:abc benchrouter-env-env:latest" in text


def test_a_workspace_may_have_an_entrypoint_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "dind-entrypoint.sh.j2").write_text("#!/bin/sh\n# {{ job }}\n")
    request = wants_daemon()
    assert entrypoint(Workspace(tmp_path), request) == b"#!/bin/sh\n# bench/task@gpt\n"
    assert b"dockerd" in entrypoint(None, request)
