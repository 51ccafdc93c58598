"""Two workspaces that build one key at once leave one named image, and no unnamed one."""

from __future__ import annotations

from pathlib import Path

import pytest
from killing import (
    ROUNDS,
    SEED,
    buildkit_client,
    check_nothing_left,
    end_of,
    named_images,
    scores_of,
    start,
    without_docker_client,
)
from project import SCORE, Project, docker


@pytest.mark.soak
@pytest.mark.parametrize("number", range(1, max(1, ROUNDS // 3) + 1))
@pytest.mark.parametrize("builder", ("buildkit", "classic"))
def test_two_workspaces_build_one_key(
    project: Project, second_project: Project, builder: str, number: int, tmp_path: Path
) -> None:
    """Start both at the same moment."""
    if builder == "buildkit" and not buildkit_client():
        pytest.skip("no docker client here builds with BuildKit")
    both = (project, second_project)
    nonce = f"{SEED}-{builder}-{number}"
    for each in both:
        each.write("benchrouter.yaml", "site: {build_network: none}\n")
        dockerfile = f"FROM debian:bookworm-slim\nRUN sleep 0.4; echo {nonce} >/one\nRUN echo >/two\n"
        each.benchmark("b", {"one": SCORE % 0.25, "two": SCORE % 0.75}, dockerfile=dockerfile)
    env = {} if builder == "buildkit" else without_docker_client(tmp_path / "bin")
    ended = [end_of(process, 120) for process in [start(each, env=env) for each in both]]
    assert [done.status for done in ended] == [0, 0], "\n".join(done.text for done in ended)
    named = [name for each in both for name in named_images(each)]
    assert len(named) == 1, named
    assert scores_of(project) == scores_of(second_project)
    for each in both:
        check_nothing_left(each)
    docker("rmi", *named)
