"""Jobs with a Docker daemon of their own, on the real engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from dind_bench import GOOD, DindBench, bench_in, dind_image
from job_bench import document, text

from benchrouter.engine.client import Engine

pytestmark = pytest.mark.engine


@pytest.fixture
def bench(real_engine: Engine, tmp_path: Path) -> Iterator[DindBench]:
    bench = bench_in(real_engine, tmp_path, dind_image(real_engine))
    yield bench
    bench.executor.close()
    assert left_of(bench) == []


def left_of(bench: DindBench) -> list[str]:
    """List containers, networks and volumes with the labels of the bench's workspace."""
    filters = {"label": f"benchrouter.workspace={bench.workspace.id}"}
    api = bench.engine.api
    containers = [str(each["Names"]) for each in api.containers(all=True, filters=filters)]
    networks = [str(each["Name"]) for each in api.networks(filters=filters)]
    volumes = [str(each["Name"]) for each in api.volumes(filters=filters)["Volumes"] or ()]
    return containers + networks + volumes


def test_a_task_starts_containers_in_its_own_daemon(bench: DindBench) -> None:
    command = f'docker run --rm "$BENCHROUTER_ENV_IMAGE_TAG" echo inside && docker ps -aq && {GOOD}'
    outcome = bench.run(command)
    assert outcome.completed, outcome
    assert text(outcome, "logs/stdout.log") == "inside\n"
    daemon = document(outcome, "provenance.json")["daemon"]
    print(daemon)
    assert daemon["storage_driver"] == "overlay2"
    assert daemon["images"] == "seed", daemon
    assert "API listen on" in text(outcome, "logs/dockerd.log")
