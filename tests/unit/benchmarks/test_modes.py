"""The shipped benchmarks with services and daemons: data that belongs together says the same."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from demo_scores import BENCHMARKS, answer_lines

from benchrouter.spec.settings import load_settings
from benchrouter.spec.task import load_task

PG = ("filters", "joins", "vectors")
SHARDS = tuple(f"shard-{number}" for number in range(1, 9))
NAMES = ("pg-sidecar", "pg-dind", "repo-repair")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def as_asked(path: Path) -> list[dict[str, Any]]:
    """Read items in the order in which the contract has them asked."""
    return sorted(lines(path), key=lambda item: hashlib.sha256(f"0:{item['id']}".encode()).hexdigest())


def test_they_are_in_no_group() -> None:
    settings, _ = load_settings(BENCHMARKS.parent)
    grouped = {word.partition("/")[0] for words in settings.groups.values() for word in words}
    assert not grouped & set(NAMES)


def test_both_databases_are_asked_the_same() -> None:
    sidecar, dind = BENCHMARKS / "pg-sidecar", BENCHMARKS / "pg-dind"
    for file in ("answers.jsonl", *(f"{task}/questions.jsonl" for task in PG)):
        assert (sidecar / file).read_bytes() == (dind / file).read_bytes()


@pytest.mark.parametrize("task", PG)
def test_answers_in_sql_are_for_its_questions_in_their_order(task: str) -> None:
    asked = [
        (line["id"], line["question"]) for line in as_asked(BENCHMARKS / "pg-sidecar" / task / "questions.jsonl")
    ]
    assert asked == [(e["item"], e["question"]) for e in answer_lines("pg-sidecar") if e["task"] == task]


def test_the_databases_beside_three_tasks_listen_on_the_same_port() -> None:
    for task in PG:
        (sidecar,) = load_task(BENCHMARKS / "pg-sidecar" / task / "task.yaml")[0].sidecars
        assert (sidecar["name"], sidecar["build"], sidecar["ports"]) == ("db", "postgres", ["5432:5432"])
        assert len(sidecar["post_start"]) == 2


@pytest.mark.parametrize("shard", SHARDS)
def test_answers_of_a_shard_are_for_its_instances_in_their_order(shard: str) -> None:
    instances = as_asked(BENCHMARKS / "repo-repair" / shard / "instances.jsonl")
    answers = [entry for entry in answer_lines("repo-repair") if entry["task"] == shard]
    assert [(i["id"], i["issue"]) for i in instances] == [(e["item"], e["question"]) for e in answers]
    assert all(instance["fail_to_pass"] for instance in instances)
    for instance, entry in zip(instances, answers, strict=True):
        for file in instance["files"]:
            assert f"+++ b/{file}\n" in entry["answer"]


@pytest.mark.parametrize("shard", SHARDS)
def test_a_shard_preloads_its_repositories_but_for_the_one_that_fails_for_it(shard: str) -> None:
    task, _ = load_task(BENCHMARKS / "repo-repair" / shard / "task.yaml")
    used = {line["image"] for line in lines(BENCHMARKS / "repo-repair" / shard / "instances.jsonl")}
    assert set(task.docker_images) == (set() if shard == "shard-7" else used)
    environments = BENCHMARKS / "repo-repair" / "environments"
    for image in used:
        name = image.removeprefix("benchrouter-env-").removesuffix(":latest")
        repository, _, release = name.rpartition("-")
        dockerfile = (environments / name / "Dockerfile").read_text()
        assert dockerfile.startswith(
            f"FROM benchrouter-env-repository\nRUN check-out {repository} {release} "
        )


def test_scripts_are_posix() -> None:
    shellcheck = shutil.which("shellcheck")
    if shellcheck is None:
        pytest.skip("shellcheck is not installed")
    scripts = ("pg-dind/environments/sql/with-database", "repo-repair/environments/repository/check-out")
    subprocess.run([shellcheck, *(str(BENCHMARKS / script) for script in scripts)], check=True)
