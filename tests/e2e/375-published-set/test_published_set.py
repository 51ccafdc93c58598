"""Benchmarks that need what cannot be had everywhere: what is missing is named, and how to get it."""

from __future__ import annotations

import shutil

import pytest
from project import REPOSITORY, Project

SUPPLIED = {
    "swe-bench-pro": ("SWE-bench_Pro-os", "instances.jsonl"),
    "browsecomp": ("simple-evals",),
    "xbench": ("xbench-evals",),
    "mcp-universe": ("MCP-Universe",),
}
VOLUMES = {"browsecomp": "browsecomp", "lmms-eval": "lmms-hub"}
NAMES = tuple(sorted({*SUPPLIED, *VOLUMES}))


@pytest.fixture
def published(project: Project) -> Project:
    """Take them as they are shipped."""
    for name in NAMES:
        shutil.copytree(REPOSITORY / "benchmarks" / name, project.root / "benchmarks" / name, symlinks=True)
    return project


def test_the_plan_names_what_is_missing_and_how_to_get_it(published: Project) -> None:
    plan = published.doit("plan", "model=demo", f"bench={','.join(NAMES)}")
    assert plan.status == 0 and not plan.err, plan.text
    said = [line for line in plan.out.splitlines() if line.startswith("missing for")]
    for name, paths in SUPPLIED.items():
        for path in paths:
            (line,) = (each for each in said if f"`{path}` of environment {name}/{name} is not in" in each)
            assert "; to get it: " in line and f"benchmarks/{name}/" in line
    for volume in VOLUMES.values():
        (line,) = (each for each in said if f"data volume `{volume}` is not bound" in each)
        assert "; to get it: " in line


def test_their_jobs_end_with_that_and_build_nothing(published: Project) -> None:
    done = published.run(f"bench={','.join(NAMES)}", model="demo", status=1)
    states = published.job_states()
    assert len(states) == 14 and set(states.values()) == {"FAILED image_missing", "FAILED unsupported"}
    assert states["lmms-eval/mmmu-val"] == "FAILED unsupported"
    assert states["swe-bench-pro/shard-1"] == states["mcp-universe/location-navigation"] == "FAILED image_missing"
    assert published.built(done) == []
    assert "python3 benchmarks/swe-bench-pro/code/generate.py FILE" in done.text
