"""The examples of docs/execution-modes.md load, and say what the shipped benchmarks say."""

from __future__ import annotations

import re
from pathlib import Path

from demo_scores import BENCHMARKS, ROOT

from benchrouter.spec.task import Task, load_task

BLOCK = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


def examples(tmp_path: Path) -> list[Task]:
    tasks = []
    for number, text in enumerate(BLOCK.findall((ROOT / "docs" / "execution-modes.md").read_text())):
        path = tmp_path / f"{number}.yaml"
        path.write_text(text)
        task, warnings = load_task(path)
        assert not warnings
        tasks.append(task)
    return tasks


def test_the_examples_are_those_that_are_shipped(tmp_path: Path) -> None:
    compose, dind = examples(tmp_path)
    shipped, _ = load_task(BENCHMARKS / "pg-sidecar" / "filters" / "task.yaml")
    assert (compose.command, compose.extra_env) == (shipped.command, shipped.extra_env)
    assert {key: compose.sidecars[0][key] for key in ("name", "build", "ports")} == {
        key: shipped.sidecars[0][key] for key in ("name", "build", "ports")
    }
    shipped, _ = load_task(BENCHMARKS / "repo-repair" / "shard-1" / "task.yaml")
    assert (dind.title, dind.command, dind.docker_images) == (
        shipped.title,
        shipped.command,
        shipped.docker_images,
    )
