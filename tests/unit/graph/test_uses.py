"""Images that a task uses beside its own: which node each name means, what its key covers, what changed in them."""

from __future__ import annotations

from pathlib import Path

from benchrouter.graph.inputs import job_inputs
from benchrouter.graph.reasons import differences
from benchrouter.graph.tars import TarNode, only_preloaded, tars_before

from .small import ASK, benchmark, graph, keys, write

TASK = """name: t
command: sh run.sh
docker: true
docker_images: [postgres:15, "benchrouter-env-tools:latest", benchrouter-env-nowhere]
sidecars: [{name: db, image: redis}, {name: web, build: web}]
"""


def made(tmp_path: Path) -> Path:
    """Write a benchmark whose task `t` uses images of all kinds."""
    return write(
        benchmark(tmp_path / "b"),
        {
            "t/task.yaml": TASK,
            "environments/tools/Dockerfile": "FROM tools\n",
            "environments/web/Dockerfile": "FROM web\n",
        },
    )


def test_each_name_means_one_node(tmp_path: Path) -> None:
    """A name that reads like an environment and is none is looked for outside."""
    found = graph(made(tmp_path))
    first, second = found.jobs
    assert first.uses == {
        "postgres:15": "base:postgres:15",
        "benchrouter-env-tools:latest": "image:b/tools",
        "benchrouter-env-nowhere": "base:benchrouter-env-nowhere",
        "redis": "base:redis",
        "benchrouter-env-web": "image:b/web",
    }
    assert not second.uses
    assert set(found.images_of([first])) == {"image:b/b", "image:b/tools", "image:b/web"}
    assert {"postgres:15", "redis", "benchrouter-env-nowhere", "tools"} <= set(found.bases)


def test_an_image_that_a_task_preloads_or_runs_beside_it_is_part_of_its_key(tmp_path: Path) -> None:
    """Changed, it reruns the job that uses it and no other; the file is named as the cause."""
    root = made(tmp_path)
    before = graph(root)
    old = job_inputs(ASK, before, before.jobs[0])
    for name in ("tools", "web"):
        was = keys(graph(root))
        write(root, {f"environments/{name}/Dockerfile": "FROM other\n"})
        now = keys(graph(root))
        assert [label for label in was if was[label] != now[label]] == ["b/t@m"]
    after = graph(root)
    causes = differences(old, job_inputs(ASK, after, after.jobs[0]), {"b/tools": "environments/tools"})
    assert [cause.text for cause in causes] == ["image b/tools changed", "image b/web changed"]
    assert "file environments/tools/Dockerfile changed" in [cause.text for cause in causes[0].because]


def test_what_goes_into_the_archive_before_a_job(tmp_path: Path) -> None:
    """What it preloads, its own image first; everything, what is built on first, where that is asked for."""
    found = graph(made(tmp_path))
    first, second = found.jobs
    own = ["tar:b/b", "tar:postgres:15", "tar:b/tools", "tar:benchrouter-env-nowhere:latest"]
    assert [tar.name for tar in tars_before(found, first, everything=False)] == own
    assert tars_before(found, second, everything=False) == ()
    all_of_it = [tar.name for tar in tars_before(found, first, everything=True)]
    bases = {f"tar:{name}:latest" for name in ("redis", "tools", "web", "debian")}
    assert {*own, *bases, "tar:b/web"} == set(all_of_it)
    assert all_of_it.index("tar:tools:latest") < all_of_it.index("tar:b/tools")
    assert [tar.name for tar in tars_before(found, second, everything=True)] == ["tar:debian:latest", "tar:b/b"]


def test_what_only_the_daemon_of_a_job_needs(tmp_path: Path) -> None:
    """An image of a sidecar has to be in the engine, preloaded or not."""
    root = made(tmp_path)
    first, second = graph(root).jobs
    assert only_preloaded(first) == {"base:postgres:15", "image:b/tools", "base:benchrouter-env-nowhere"}
    assert only_preloaded(second) == frozenset()
    write(root, {"t/task.yaml": TASK.replace("image: redis", "image: postgres:15")})
    assert "base:postgres:15" not in only_preloaded(graph(root).jobs[0])


def test_names_of_environments_and_references_never_meet() -> None:
    """An environment's node has no colon in its label, a reference's always has one."""
    assert TarNode("image:hello/hello").name == "tar:hello/hello"
    assert TarNode("base:hello/hello").name == "tar:hello/hello:latest"
    assert TarNode("base:localhost:5000/a").name == "tar:localhost:5000/a"


def test_a_task_without_such_images_keeps_the_key_that_it_had(tmp_path: Path) -> None:
    """Nothing reruns because a version learnt a mode that the task does not use."""
    assert "images" not in job_inputs(ASK, graph(benchmark(tmp_path / "b")), graph(benchmark(tmp_path / "b")).jobs[0])
