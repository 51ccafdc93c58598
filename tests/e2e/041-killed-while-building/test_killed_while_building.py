"""A build, by BuildKit and by the classic builder, ended at a random moment."""

from __future__ import annotations

import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from killing import (
    ROUNDS,
    SEED,
    SIGINT_AND_SIGKILL,
    buildkit_client,
    check_next_start,
    check_nothing_left,
    end_of,
    forget_results,
    kill_at,
    moment,
    named_images,
    scores_of,
    start,
    without_docker_client,
)
from project import SCORE, Project, docker

BUILDERS = ("buildkit", "classic")
STEPS = """\
FROM debian:bookworm-slim AS first
RUN sleep 0.2; echo {nonce} >/one
FROM debian:bookworm-slim
COPY --from=first /one /
RUN sleep 0.3; echo {nonce} >/two
"""
DOCKERFILE = "benchmarks/b/environments/b/Dockerfile"


@dataclass(frozen=True)
class Undisturbed:
    """The workspace, its scores after a run in peace, and how long that took with each builder."""

    project: Project
    scores: dict[str, Any]
    seconds: Mapping[str, float]
    environments: Mapping[str, dict[str, str]]


@pytest.fixture(scope="module")
def undisturbed(lasting_project: Project, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """Build and run in peace."""
    lasting_project.benchmark("b", {"one": SCORE % 0.25, "two": SCORE % 0.5})
    lasting_project.write("benchrouter.yaml", "site: {build_network: none}\n")
    environments = {"buildkit": {}, "classic": without_docker_client(tmp_path_factory.mktemp("path") / "bin")}
    seconds = {}
    for builder in BUILDERS:
        new_image(lasting_project, f"{builder}-{SEED}-peace")
        began = time.monotonic()
        done = end_of(start(lasting_project, env=environments[builder]), 120)
        assert done.status == 0, done.text
        seconds[builder] = time.monotonic() - began
        docker("rmi", *named_images(lasting_project))
    return Undisturbed(lasting_project, scores_of(lasting_project), seconds, environments)


def new_image(project: Project, nonce: str) -> str:
    """Change the image, so that it has to be built, and let everything be due."""
    forget_results(project)
    project.write(DOCKERFILE, STEPS.format(nonce=nonce))
    return nonce


@pytest.mark.soak
@pytest.mark.parametrize("number", range(1, ROUNDS + 1))
@pytest.mark.parametrize("which", SIGINT_AND_SIGKILL, ids=lambda which: which.name)
@pytest.mark.parametrize("builder", BUILDERS)
def test_a_build_ended_at_a_random_moment(
    undisturbed: Undisturbed, builder: str, which: signal.Signals, number: int
) -> None:
    """End a build, then start again: one named image, no unnamed one, no process of the build."""
    if builder == "buildkit" and not buildkit_client():
        pytest.skip("no docker client here builds with BuildKit")
    project, env = undisturbed.project, undisturbed.environments[builder]
    nonce = new_image(project, f"{builder}-{which.name}-{number}-{SEED}")
    after = moment(f"{builder} {which.name}", number, 0.3, undisturbed.seconds[builder])
    done = kill_at(start(project, env=env), which, after)
    if which is not signal.SIGKILL and done.status == 130:
        check_nothing_left(project)
    check_next_start(project, undisturbed.scores, env=env)
    assert not processes_with(nonce)
    named = named_images(project)
    assert len(named) == 1, named
    docker("rmi", *named)


def processes_with(nonce: str) -> list[str]:
    """List processes that mention a build's nonce; the host sees those in containers too."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            command = (place / "cmdline").read_bytes()
        except OSError:
            continue
        if nonce.encode() in command and b"pytest" not in command:
            found.append(command.decode(errors="replace"))
    return found
