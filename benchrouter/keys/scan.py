"""Scanning a benchmark: every task with its digests, from the cache where its stats did not change."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchrouter.keys.cache import StatCache
from benchrouter.keys.canonical import digest
from benchrouter.keys.facts import NOT_IN_KEY, TaskFacts
from benchrouter.keys.files import sign_file
from benchrouter.keys.tree import hash_walk, sign
from benchrouter.keys.walk import Walk, walk
from benchrouter.spec.benchmark import (
    FILE,
    TASK_FILE,
    Benchmark,
    TaskEntry,
    missing_task,
    parse_benchmark,
)
from benchrouter.spec.inputs import read_input
from benchrouter.spec.problems import Problem, SpecError
from benchrouter.spec.task import Task, load_task

_WORD = re.compile(r"[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True)
class ScannedBenchmark:
    """A benchmark, the tasks that were wanted and are sound, warnings, and the problems of the others."""

    benchmark: Benchmark
    tasks: Mapping[str, TaskFacts]
    warnings: tuple[Problem, ...]
    problems: tuple[Problem, ...]


def scan_benchmark(root: Path, cache: StatCache, want: frozenset[str] | None = None) -> ScannedBenchmark:
    """Scan the wanted tasks (None: all); raise SpecError when benchmark.yaml itself cannot be used.

    Nothing is written; `cache.save()` is the caller's decision.
    """
    found: list[Problem] = []
    benchmark = _benchmark(root, cache, found)
    cache.retain("tasks", frozenset([entry.name for entry in benchmark.tasks]))
    scan = _Scan(benchmark, cache, found)
    tasks = {
        entry.name: facts
        for entry in benchmark.tasks
        if (want is None or entry.name in want) and (facts := scan.task(entry)) is not None
    }
    warnings = tuple([problem for problem in found if problem.warning])
    return ScannedBenchmark(benchmark, tasks, warnings, tuple([p for p in found if not p.warning]))


def faults_of_tasks(root: Path, *, every: bool = False) -> tuple[Problem, ...]:
    """Find faults of the task.yaml files that a faulty benchmark.yaml seems to name; of `every` one there is."""
    try:
        words = frozenset(_WORD.findall(read_input(root / FILE).decode("utf-8", "replace")))
    except OSError:
        return ()
    problems: list[Problem] = []
    for path in sorted(root.glob(f"*/{TASK_FILE}")):
        if every or path.parent.name in words:
            try:
                problems += load_task(path)[1]
            except SpecError as error:
                problems += error.problems
    return tuple(problems)


def _benchmark(root: Path, cache: StatCache, found: list[Problem]) -> Benchmark:
    looked = time.time_ns()
    signature, newest = sign_file(f"{root}/{FILE}")
    record = cache.get("benchmark", FILE)
    if record is not None and record[0] == signature:
        found += _problems(record[2])
        return Benchmark.from_json(record[1], root)
    benchmark, problems = parse_benchmark(root)
    if all(problem.warning for problem in problems):
        cache.keep("benchmark", FILE, [signature, benchmark.to_json(), _plain(problems)], newest, looked)
    found += problems
    return benchmark


class _Scan:
    """What the tasks of one scan share."""

    def __init__(self, benchmark: Benchmark, cache: StatCache, found: list[Problem]) -> None:
        self.benchmark = benchmark
        self.cache = cache
        self.found = found
        self.root = os.fspath(benchmark.root)
        self.real = os.path.realpath(self.root)
        with os.scandir(self.root) as entries:
            self.links = {entry.name for entry in entries if entry.is_symlink()}

    def task(self, entry: TaskEntry) -> TaskFacts | None:
        """Give the facts of one task, or add its problems."""
        path = f"{self.root}/{entry.name}"
        looked = time.time_ns()
        spec_signature, spec_newest = sign_file(f"{path}/{TASK_FILE}")
        if spec_signature is None:
            self.found.append(missing_task(self.benchmark, entry))
            return None
        record = self.cache.get("tasks", entry.name)
        found = self.walk(path, entry.name)
        signature = sign(found)
        if record is None or record[0] != signature.hex() or record[1] != spec_signature:
            made = self.fresh(entry.name, found, spec_signature)
            if made is None:
                return None
            record, newest, signature = made
            self.cache.keep("tasks", entry.name, record, max(newest, spec_newest), looked)
        if record[2]:
            self.found += _problems(record[2])
        head = (entry.name, entry.environment, path, self.root, signature)
        lists = (tuple(record[11]), tuple(record[12]))
        return TaskFacts._make([*head, *record[3:11], *lists, record[13], tuple(record[14])])

    def walk(self, path: str, name: str) -> Walk:
        """Walk a task's tree; resolving paths costs more than the walk, so only links are resolved."""
        if name in self.links:
            return walk(Path(path), boundary=self.benchmark.root, exclude=NOT_IN_KEY)
        found = Walk(path, self.real, None, NOT_IN_KEY)
        found.run()
        return found

    def fresh(self, name: str, found: Walk, spec_signature: str) -> tuple[list[Any], int, bytes] | None:
        """Read and hash a task: its record, its newest ctime and its signature; None adds its problems."""
        problems: list[Problem] = []
        task = tree = None
        try:
            task, warnings = load_task(Path(found.root, TASK_FILE))
            problems += warnings
        except SpecError as error:
            problems += error.problems
        try:
            tree = hash_walk(lambda: self.walk(found.root, name), found)
        except SpecError as error:
            problems += error.problems
        if task is None or tree is None:
            self.found += problems
            return None
        head = [tree.signature.hex(), spec_signature, _plain(problems), tree.digest]
        return (
            [*head, digest(task.score_fields()), tree.materialised, *_fields(task)],
            tree.newest,
            tree.signature,
        )


def _fields(task: Task) -> list[Any]:
    images = [*task.docker_images, *(sidecar["image"] for sidecar in task.sidecars if "image" in sidecar)]
    builds = [sidecar["build"] for sidecar in task.sidecars if "build" in sidecar]
    return [
        task.repeat,
        task.seed,
        task.network,
        task.docker,
        bool(task.sidecars),
        list(dict.fromkeys(images)),
        list(dict.fromkeys(builds)),
        _text(task),
        list(dict.fromkeys(mount.name for mount in task.data)),
    ]


def _text(task: Task) -> str:
    import json

    return json.dumps(task.to_json(), separators=(",", ":"))


def _plain(problems: list[Problem]) -> list[list[Any]]:
    return [[p.where, p.line, p.message, p.warning] for p in problems]


def _problems(plain: list[list[Any]]) -> list[Problem]:
    return [Problem(where, line, message, warning) for where, line, message, warning in plain]
