"""Images that a task uses beside its own: which node each name means, what its key covers, what changed in them."""

from __future__ import annotations

from pathlib import Path

from benchrouter.graph.inputs import job_inputs
from benchrouter.graph.reasons import differences

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


def test_a_task_without_such_images_keeps_the_key_that_it_had(tmp_path: Path) -> None:
    """Nothing reruns because a version learnt a mode that the task does not use."""
    assert "images" not in job_inputs(ASK, graph(benchmark(tmp_path / "b")), graph(benchmark(tmp_path / "b")).jobs[0])
