"""What holds for each benchmark that runs offline: exact scores with the demo model, and no score without answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from project import REPOSITORY, Project
from shipped import LONG, ask_demo, results, scores
from verdicts import document, last_failure

LIMIT = 10
ONCE = "site: {limits: {retries: 0}}\n"
"""Settings with which a job that meets such an endpoint is not tried again: trying again is tested elsewhere."""

WRONG = [1, 10]
"""Which of the first ten items the demo model answers wrongly: floor(10 / 5) of them; of fewer, one."""


def check_demo(project: Project, benchmark: str, tasks: Mapping[str, int]) -> None:
    """Run ten items of each task (name → how many it has) with the demo model; check scores, items and their order."""
    words = (f"bench={benchmark}", f"tasks={','.join(tasks)}", f"BENCH_LIMIT={LIMIT}")
    done = ask_demo(project, *words)
    assert sorted(project.ran(done)) == sorted(f"{benchmark}/{task}@demo" for task in tasks)
    found = scores(project, benchmark)
    assert set(found) == set(tasks), done.text
    for task, size in tasks.items():
        everything, asked = ids(benchmark, task), min(size, LIMIT)
        wrong = [n for n in WRONG if n <= asked]
        assert len(everything) == size
        assert found[task] == (asked - len(wrong)) / asked
        items = results(project, benchmark)[task]["raw_metrics"]["items"]
        assert [item["id"] for item in items] == selected(everything)[:LIMIT]
        assert [n for n, item in enumerate(items, start=1) if item["score"] == 0] == wrong
        assert all(item["score"] in (0, 1) for item in items)
        assert all(item["tokens"]["prompt"] > 0 and item["tokens"]["completion"] > 0 for item in items)
    assert project.ran(ask_demo(project, *words)) == []


def ids(benchmark: str, task: str) -> list[str]:
    """List the items of a task, each once, in the order of the answer file."""
    return list(dict.fromkeys(line["item"] for line in answer_lines(benchmark) if line["task"] == task))


def answer_lines(benchmark: str) -> list[dict[str, Any]]:
    """Read what the demo model says."""
    with (REPOSITORY / "benchmarks" / benchmark / "answers.jsonl").open("rb") as lines:
        return [json.loads(line) for line in lines]


def selected(names: Iterable[str]) -> list[str]:
    """Put ids in the documented order."""
    return sorted(names, key=lambda name: hashlib.sha256(f"0:{name}".encode()).hexdigest())


def check_endpoints(project: Project, url: str, benchmark: str, tasks: str, kinds: Sequence[str]) -> None:
    """Run some tasks against endpoints that give no answer: each ends `endpoint`, says why, and has no score.

    All kinds are asked in 300-items; here they show that a benchmark hands on what the SDK says.
    """
    declare(project, url, kinds)
    models = ",".join(f"at-{kind}" for kind in kinds)
    words = (f"model={models}", f"bench={benchmark}", f"tasks={tasks}", "BENCH_LIMIT=2", "preflight=0")
    done = project.doit("run", *words, deadline=LONG)
    assert done.status == 1, done.text
    assert done.out.count("  overall - · coverage 0/") == len(kinds), done.out
    for task, kind in product(tasks.split(","), kinds):
        failed = last_failure(project, benchmark, task, f"at-{kind}")
        assert document(failed / "job.json")["reason"] == "endpoint", done.text
        assert len(list(failed.parent.iterdir())) == 1
        said = (failed / "logs" / "stderr.log").read_text()
        assert "endpoint: " in said
        assert not kind.isdigit() or f"status {kind}: " in said
        assert project.artifacts(benchmark, task, f"at-{kind}") == []


def declare(project: Project, url: str, kinds: Iterable[str]) -> None:
    """Declare a model for each kind of endpoint."""
    lines = "".join(f"  at-{kind}: {{endpoint: '{url}/{kind}/v1'}}\n" for kind in kinds)
    project.write("benchrouter.yaml", f"models:\n{lines}{ONCE}")


def ask(project: Project, kind: str, *words: str, status: int = 0) -> dict[str, Any] | Path:
    """Run one job at one kind of endpoint; give its result, or the directory of the failed attempt."""
    done = project.doit("run", f"model=at-{kind}", *words, "preflight=0", deadline=LONG)
    assert done.status == status, done.text
    if status == 0:
        (artifact,) = project.artifacts(model=f"at-{kind}")
        return document(artifact / "result.json")
    return last_failure(project, "*", "*", f"at-{kind}")
