"""A base that cannot be had is listed before anything starts; its jobs end `image_missing`, the rest runs."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

from project import SCORE, Project

NOWHERE = "registry.invalid/no/such:image"


def test_listed_first_and_strict_refuses(project: Project) -> None:
    """With strict=1 nothing is started at all, and nothing is recorded as an attempt."""
    project.benchmark("fine", {"t": SCORE % 0.5})
    project.benchmark("b", {"t": SCORE % 0.5, "u": SCORE % 0.5}, dockerfile=f"FROM {NOWHERE}\n")
    strict = project.run("strict=1", status=1)
    assert f"missing: {NOWHERE} for b/b: " in strict.out and "strict=1: not started" in strict.err
    assert project.ran(strict) == [] and project.artifacts() == [] and project.failures() == []
    done = project.run(status=1)
    assert done.out.index(f"missing: {NOWHERE} for b/b: ") < done.out.index(" started")
    missing = {f"b/{task}": "FAILED image_missing" for task in ("t", "u")}
    assert project.job_states() == {"fine/t": "COMPLETED", **missing}, done.text
    assert project.ran(done) == ["fine/t@m"]
    assert "overall - · coverage 0/2 · FAILED" in done.out
    again = project.run(status=1)
    assert project.ran(again) == [] and project.job_states()["b/t"] == "FAILED image_missing"
    assert project.run("bench=fine", "strict=1").status == 0


def test_a_missing_base_is_asked_for_once_and_nothing_on_it_counts_as_to_build(project: Project) -> None:
    """It was listed as missing, "1 image to build" was printed all the same, and the registry asked again."""
    project.benchmark("fine", {"t": SCORE % 0.5}, dockerfile="FROM debian:bookworm-slim\nRUN : # 019\n")
    project.benchmark("b", {"t": SCORE % 0.5}, dockerfile=f"FROM {NOWHERE}\n")
    project.write("benchmarks/b/u/task.yaml", "name: u\ncommand: x\n")
    project.write("benchmarks/b/environments/onb/Dockerfile", "FROM benchrouter-env-b\n")
    project.write("benchmarks/b/benchmark.yaml", "name: b\ntasks: [{name: t}, {name: u, environment: onb}]\n")
    alone = project.run("bench=b", status=1)
    assert "to build" not in alone.out and "2 jobs to run" in alone.out
    assert f"base:{NOWHERE} started" not in alone.out and project.built(alone) == []
    both = project.run(status=1)
    assert "1 image to build, 3 jobs to run" in both.out and project.built(both) == ["fine/fine"]
    advice = "Without a registry, name a stand-in under site.image_aliases in benchrouter.local.yaml"
    assert "bootstrap-image" not in both.text  # there is no recipe for that
    planned = project.doit("plan", "model=m").out
    assert f"base:{NOWHERE}  not here; will be pulled from its registry  (built on)" in planned
    assert both.out.count(advice) == 1 and both.out.count(" missing: ") == 1
    assert f"base:{NOWHERE} FAILED image_missing: cannot pull {NOWHERE}: registry.invalid: " in both.out
    assert "  also:   image:b/b, image:b/onb, job:b/t@m and 1 more" in both.out


def test_explain_tells_what_stands_in_for_a_base(project: Project) -> None:
    """The alias with its place, however it is spelled, and who needs the base."""
    project.benchmark("b", {"t": SCORE % 0.5}, dockerfile="FROM docker.io/library/debian:bookworm-slim\n")
    project.write("benchrouter.local.yaml", "site:\n  image_aliases:\n    debian:bookworm-slim: stand/in:1\n")
    explained = project.doit("explain", "base:*").out
    for line in (
        "  reference  docker.io/library/debian:bookworm-slim",
        "  alias      stand/in:1  (benchrouter.local.yaml:3)",
        "  needed by  image:b/b",
    ):
        assert line in explained.splitlines(), explained
    project.write("benchrouter.local.yaml", "")
    assert "alias" not in project.doit("explain", "base:*").out


def test_a_program_is_told_of_missing_bases_too(project: Project) -> None:
    """The plan's `images` as JSON had only what is built, and left out what that is built on."""
    project.benchmark("b", {"t": SCORE % 0.5}, dockerfile=f"FROM {NOWHERE}\n")
    project.benchmark("c", {"t": SCORE % 0.5}, dockerfile=f"FROM {NOWHERE}2\n")
    text = "\nobtain: {'registry.invalid/no/such:image2': make images}\n"
    (project.root / "benchmarks/c/benchmark.yaml").open("a").write(text)
    command = replace(project, program=(sys.executable, "-m", "benchrouter"))
    told = json.loads(command.doit("plan", "--model", "m", "--json").out)
    bases = [image for image in told["images"] if image["node"].startswith("base:")]
    assert bases == [
        {"node": f"base:{NOWHERE}", "tag": NOWHERE, "state": "pull", "to_get": None},
        {"node": f"base:{NOWHERE}2", "tag": f"{NOWHERE}2", "state": "to get", "to_get": "make images"},
    ]
    assert [image["state"] for image in told["images"] if image not in bases] == ["build", "build"]
