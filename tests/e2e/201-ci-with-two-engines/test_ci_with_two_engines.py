"""docs/ci.md played through: one engine builds, cache/ is carried over, an empty engine builds nothing."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from engines import CAN, SmallEngine, small_engine
from project import Project

sys.path.append(str(Path(__file__).parents[2] / "engine"))

from own_engine import own_engine

from benchrouter.engine.client import Engine

pytestmark = [pytest.mark.own_engine, pytest.mark.skipif(not CAN, reason="needs root and dockerd")]
DOCKERFILE = "FROM debian:bookworm-slim\nRUN echo built >/word\nCOPY more /more\n"
SCRIPT = """grep -q built /word && mkdir -p "$BENCHROUTER_OUTPUT_DIR"
echo '{"overall": 1}' >"$BENCHROUTER_OUTPUT_DIR/result.json"
"""


@pytest.fixture(scope="module")
def building() -> Iterator[SmallEngine]:
    """The engine of the first CI machine: it has a base image."""
    with small_engine() as made:
        yield made


def sources(project: Project) -> None:
    """Write the repository that CI checks out: an environment, one on it, and a task on each."""
    project.benchmark("b", {"t": SCRIPT, "u": SCRIPT}, dockerfile=None, task_yaml="network: none\n")
    project.write("benchmarks/b/benchmark.yaml", "name: b\ntasks:\n  - {name: t}\n  - {name: u, environment: two}\n")
    project.write("benchmarks/b/environments/b/Dockerfile", DOCKERFILE)
    project.write("benchmarks/b/environments/b/more", "x" * 100_000)
    project.write("benchmarks/b/environments/two/Dockerfile", "FROM benchrouter-env-b\nRUN echo two >/two\n")


def machine(root: Path, address: str) -> Project:
    """Check the repository out on a machine of CI, whose engine is at an address."""
    project = Project.make(root)
    project.environment.update(DOCKER_HOST=address, CI="true")
    # These engines have no bridge, and small disks.
    project.write("benchrouter.yaml", "site: {build_network: host, limits: {free_disk: 50m}}\n")
    sources(project)
    return project


def test_an_empty_engine_with_a_restored_cache_builds_nothing(tmp_path: Path, building: SmallEngine) -> None:
    """The same scores, no build, no registry asked; the key of the cache is the same on both."""
    first = machine(tmp_path / "first", building.own.address)
    key = first.doit("cachekey").out.strip()
    assert len(key) == 16
    done = first.run("bench=b")
    assert first.doit("cachekey", "tasks=t").out.strip() not in ("", key)
    assert sorted(first.built(done)) == ["b/b", "b/two"]
    assert {"tar:b/b", "tar:b/two"} <= set(named(done.out))
    with own_engine(600) as empty:
        empty.start().close()
        second = machine(tmp_path / "second", empty.address)
        (second.root / "benchrouter.local.yaml").unlink(missing_ok=True)
        assert second.doit("cachekey").out.strip() == key
        shutil.copytree(first.root / "cache/images", second.root / "cache/images")
        made = second.doit("bootstrap-image", "--missing", "bench=b")
        assert (made.status, made.out) == (0, ""), "nothing is to be built, so no base is missing"
        again = second.run("bench=b")
        assert "2 images from the archive" in again.out
        assert "to build" not in again.out
        assert not [name for name in named(again.out) if name.startswith(("base:", "tar:"))]
        assert second.aggregate("b")["overall"] == first.aggregate("b")["overall"] == 1.0
        assert ids(empty.address) == ids(building.own.address, "benchrouter/b-*")


def test_a_damaged_archive_is_reported_and_built_anew(tmp_path: Path, building: SmallEngine) -> None:
    """Only the image whose layer is damaged; afterwards it is in the archive again."""
    project = machine(tmp_path / "workspace", building.own.address)
    project.run("bench=b")
    own = last_layer(project, "benchrouter/b-two:")
    data = bytearray(own.read_bytes())
    data[len(data) // 2 - 16] ^= 1
    own.write_bytes(data)
    for tag in ids(building.own.address, "benchrouter/b-*"):
        building.docker("rmi", "-f", tag)
    shutil.rmtree(project.root / "results")
    done = project.run("bench=b")
    assert "is damaged" in done.text
    assert "1 image from the archive" in done.out
    assert "1 image to build" in done.out
    assert last_layer(project, "benchrouter/b-two:").exists()


def last_layer(project: Project, reference: str) -> Path:
    """Find the file of the last layer of the image whose reference begins so."""
    entries = [json.loads(path.read_text()) for path in (project.root / "cache/images/entries").glob("*.json")]
    (entry,) = (entry for entry in entries if entry["reference"].startswith(reference))
    name = entry["layers"][-1]["diff_id"].removeprefix("sha256:")
    return project.root / f"cache/images/layers/{name}.tar.zst"


def ids(address: str, reference: str = "*") -> dict[str, str]:
    """Map the names of an engine's images to their ids."""
    engine = Engine.connect(address)
    try:
        found = engine.api.images(filters={"reference": reference} if reference != "*" else None)
        return {str(tag): str(image["Id"]) for image in found for tag in image["RepoTags"] or ()}
    finally:
        engine.close()


def named(out: str) -> list[str]:
    """List the nodes that a run started."""
    return [line.split()[1] for line in out.splitlines() if line.endswith(" started")]
